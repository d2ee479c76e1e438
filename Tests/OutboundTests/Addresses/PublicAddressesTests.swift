import Addresses
import Outbound
import Testing

@Suite("Public and special IP addresses")
struct PublicAddressesTests {
    @Test(
        "SECURITY.md, Tokens: private, loopback, metadata and embedded addresses are not public",
        arguments: [
            "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1",
            "169.254.169.254", "168.63.129.16", "::ffff:168.63.129.16", "172.16.0.1",
            "172.31.255.255", "192.0.0.8", "192.0.2.1",
            "192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1",
            "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1",
            "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "fe80::1",
            "fc00::1", "fd00:ec2::254", "ff02::1", "2001::1", "2001:db8::1", "2002:7f00:1::1",
            "3fff::1", "4000::1",
        ])
    func special(_ text: String) throws {
        let address = try #require(InternetAddress(text: text))
        #expect(!address.isPublic)
        #expect(!AddressPolicy.publicOnly.allows(address))
        #expect(AddressPolicy.any.allows(address))
    }

    @Test(
        "all other addresses are public, up to the edges of the special ranges",
        arguments: [
            "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
            "168.63.129.15", "168.63.129.17", "172.15.255.255", "172.32.0.0", "192.0.1.1",
            "198.17.255.255", "198.20.0.0",
            "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2600::1", "2a00:1450::1",
            "2001:200::1", "2003::1",
        ])
    func ordinary(_ text: String) throws {
        #expect(try #require(InternetAddress(text: text)).isPublic)
    }

    @Test(
        "a text that is not an address is rejected",
        arguments: ["", "localhost", "1.2.3", "1.2.3.4.5", "0x7f.1", "fe80::1%lo", "[::1]"])
    func nothing(_ text: String) {
        #expect(InternetAddress(text: text) == nil)
    }
}
