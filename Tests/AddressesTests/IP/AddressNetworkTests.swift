import Addresses
import Testing

@Suite("Networks of IP addresses")
struct AddressNetworkTests {
    @Test(
        "a network contains the addresses with its prefix",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
            ("192.0.2.128/25", "192.0.2.128", true), ("192.0.2.128/25", "192.0.2.127", false),
            ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
            ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "::1", false),
            ("2001:db8::/32", "2001:db8:1::1", true), ("2001:db8::/32", "2001:db9::1", false),
            ("::/0", "2001:db8::1", true), ("::/0", "192.0.2.1", false),
            ("10.0.0.0/8", "::ffff:10.1.2.3", true), ("::1", "::1", true),
        ])
    func contains(network: String, address: String, expected: Bool) throws {
        let network = try #require(AddressNetwork(network))
        #expect(network.contains(try #require(ClientAddress(address))) == expected)
    }

    @Test(
        "any other text is no network",
        arguments: [
            "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/8/8", "10.0.0.1/8", "10.0.0.0/+8",
            "10.0.0.0/-1", "::/129", "2001:db8::1/32", "example.com", "10.0.0.0/ 8",
            "fe80::1%eth0", "::ffff:10.0.0.0/104",
        ])
    func invalid(text: String) {
        #expect(AddressNetwork(text) == nil)
    }

    @Test(
        "an address has the text from which it was parsed",
        arguments: [
            "0.0.0.0", "1.9.10.11", "99.100.101.109", "110.199.200.255", "255.255.255.255",
            "2001:db8:0:0:0:0:0:1",
        ])
    func text(_ text: String) {
        #expect(ClientAddress(text)?.text == text)
    }

    @Test("an address is made of its bytes")
    func bytes() {
        #expect(ClientAddress(bytes: [192, 0, 2, 1]) == ClientAddress("192.0.2.1"))
        let mapped = [UInt8](repeating: 0, count: 10) + [0xff, 0xff, 192, 0, 2, 1]
        #expect(ClientAddress(bytes: mapped) == ClientAddress("192.0.2.1"))
        #expect(ClientAddress(bytes: [1, 2, 3]) == nil)
    }
}
