import Addresses
import Testing
import WebService

@Suite("The person's address behind proxies")
struct ForwardedAddressTests {
    /// The proxies are 10.0.0.0/8 and 2001:db8:a::/48; the peer is 10.0.0.1 unless another is given.
    struct Vector: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var peer = "10.0.0.1"
        var isTrusted = true
        var forwarded: [String] = []
        var common: [String] = []
        let address: String
    }

    static let vectors = [
        Vector(testDescription: "no field: the peer", address: "10.0.0.1"),
        Vector(testDescription: "one hop", common: ["203.0.113.7"], address: "203.0.113.7"),
        Vector(
            testDescription: "a stranger's field is ignored: it would choose its own limits",
            peer: "198.51.100.1", isTrusted: false, common: ["203.0.113.7"],
            address: "198.51.100.1"),
        Vector(
            testDescription: "a client named by PROXY protocol: the fields are its own",
            peer: "198.51.100.1", common: ["203.0.113.7"], address: "198.51.100.1"),
        Vector(
            testDescription: "the client's own entries are left of the proxy's and do not count",
            common: ["192.0.2.66, 203.0.113.7"], address: "203.0.113.7"),
        Vector(
            testDescription: "two proxies", common: ["203.0.113.7, 10.0.0.2"],
            address: "203.0.113.7"),
        Vector(
            testDescription: "the client claims to be a proxy, to have its left entry counted",
            common: ["192.0.2.66, 10.9.9.9, 203.0.113.7"], address: "203.0.113.7"),
        Vector(
            testDescription: "several fields are one list, in order",
            common: ["192.0.2.66", "203.0.113.7, 10.0.0.2"], address: "203.0.113.7"),
        Vector(
            testDescription: "only proxies: a client inside the network",
            common: ["10.0.0.9, 10.0.0.2"], address: "10.0.0.9"),
        Vector(testDescription: "garbage ends at the peer", common: ["evil"], address: "10.0.0.1"),
        // U+0600 and the comma after it are one Character.
        Vector(
            testDescription: "a scalar that takes the comma after it hides no entry of a proxy",
            forwarded: ["for=1.2.3.4;x=\u{0600}, for=203.0.113.9"], address: "203.0.113.9"),
        Vector(
            testDescription: "the same in the other field", common: ["\u{0600}, 203.0.113.9"],
            address: "203.0.113.9"),
        Vector(
            testDescription: "garbage right of an address hides what is left of it",
            common: ["203.0.113.7, evil, 10.0.0.2"], address: "10.0.0.2"),
        Vector(
            testDescription: "an empty element is garbage, not skipped",
            common: ["203.0.113.7,, 10.0.0.2"], address: "10.0.0.2"),
        Vector(testDescription: "an empty field", common: [""], address: "10.0.0.1"),
        Vector(
            testDescription: "a port, as some load balancers add it",
            common: ["203.0.113.7:4711"], address: "203.0.113.7"),
        Vector(testDescription: "no port", common: ["203.0.113.7:"], address: "10.0.0.1"),
        Vector(
            testDescription: "a port that is too large", common: ["203.0.113.7:99999"],
            address: "10.0.0.1"),
        Vector(
            testDescription: "IPv6, bare", common: ["2001:db8:b::1"],
            address: "2001:db8:b:0:0:0:0:1"),
        Vector(
            testDescription: "IPv6 in brackets with a port", common: ["[2001:db8:b::1]:443"],
            address: "2001:db8:b:0:0:0:0:1"),
        Vector(
            testDescription: "IPv4 in brackets", common: ["[203.0.113.7]"], address: "10.0.0.1"),
        Vector(
            testDescription: "a zone names an interface of another machine",
            common: ["fe80::1%eth0"], address: "10.0.0.1"),
        Vector(
            testDescription: "one client has one address: IPv4-mapped is IPv4",
            common: ["::ffff:203.0.113.7"], address: "203.0.113.7"),
        Vector(
            testDescription: "a proxy named by its IPv4-mapped address is passed",
            common: ["203.0.113.7, ::ffff:10.0.0.2"], address: "203.0.113.7"),
        Vector(
            testDescription: "leading zeros could be octal for another parser",
            common: ["010.0.0.2"], address: "10.0.0.1"),
        Vector(
            testDescription: "proxies of IPv6", peer: "2001:db8:a::1",
            common: ["203.0.113.7, 2001:db8:a::2"], address: "203.0.113.7"),
        Vector(
            testDescription: "Forwarded", forwarded: ["for=203.0.113.7;proto=https;by=10.0.0.1"],
            address: "203.0.113.7"),
        Vector(
            testDescription: "Forwarded: names in any case, spaces",
            forwarded: ["proto=https ; For=203.0.113.7 , for=10.0.0.2"], address: "203.0.113.7"),
        Vector(
            testDescription: "Forwarded: IPv6 is quoted", forwarded: ["for=\"[2001:db8:b::1]:80\""],
            address: "2001:db8:b:0:0:0:0:1"),
        Vector(
            testDescription: "Forwarded: IPv6 without brackets", forwarded: ["for=2001:db8:b::1"],
            address: "10.0.0.1"),
        Vector(
            testDescription: "Forwarded: unknown", forwarded: ["for=203.0.113.7, for=unknown"],
            address: "10.0.0.1"),
        Vector(
            testDescription: "Forwarded: an obfuscated name", forwarded: ["for=_hidden"],
            address: "10.0.0.1"),
        Vector(
            testDescription: "Forwarded: an obfuscated port", forwarded: ["for=\"203.0.113.7:_x\""],
            address: "10.0.0.1"),
        Vector(
            testDescription: "Forwarded: no for", forwarded: ["for=203.0.113.7, proto=https"],
            address: "10.0.0.1"),
        Vector(
            testDescription: "Forwarded: two for in one element",
            forwarded: ["for=192.0.2.66;for=203.0.113.7"], address: "10.0.0.1"),
        Vector(
            testDescription: "Forwarded: separators inside quotes are none",
            forwarded: ["by=\"a,b;for=192.0.2.66\";for=203.0.113.7"], address: "203.0.113.7"),
        Vector(
            testDescription: "Forwarded: an open quote swallows what a proxy appends",
            forwarded: ["for=\"192.0.2.66, for=203.0.113.7"], address: "10.0.0.1"),
        Vector(
            testDescription: "Forwarded: an open quote does not reach the proxy's own field",
            forwarded: ["for=\"192.0.2.66", "for=203.0.113.7"], address: "203.0.113.7"),
        Vector(
            testDescription: "Forwarded: an escaped quote",
            forwarded: ["for=\"203.0.113.7\\\"\""], address: "10.0.0.1"),
        Vector(
            testDescription: "a scalar that joins the proxy's comma does not hide what follows",
            common: ["192.0.2.66\u{600}, 203.0.113.7"], address: "203.0.113.7"),
        Vector(
            testDescription: "Forwarded: a scalar that joins the proxy's comma",
            forwarded: ["for=192.0.2.66\u{600}, for=203.0.113.7"], address: "203.0.113.7"),
        Vector(
            testDescription: "both fields, which agree", forwarded: ["for=203.0.113.7"],
            common: ["203.0.113.7"], address: "203.0.113.7"),
        Vector(
            testDescription: "both fields, one of them the client's: neither counts",
            forwarded: ["for=192.0.2.66"], common: ["203.0.113.7"], address: "10.0.0.1"),
        Vector(
            testDescription: "both fields, one of them garbage: neither counts",
            forwarded: ["for=unknown"], common: ["203.0.113.7"], address: "10.0.0.1"),
    ]

    @Test("the first address from the right that is no trusted proxy", arguments: vectors)
    func address(_ vector: Vector) throws {
        let trusted = ["10.0.0.0/8", "2001:db8:a::/48"].compactMap(AddressNetwork.init)
        let address = ForwardedAddress.of(
            peer: try #require(ClientAddress(vector.peer)), isFromTrustedProxy: vector.isTrusted,
            forwarded: vector.forwarded, xForwardedFor: vector.common, trusted: trusted)
        #expect(address.text == vector.address)
        #expect(ClientAddress(address.text) == address)
    }

    @Test("a long list takes time in proportion to its length")
    func long() throws {
        let list = Array(repeating: "10.0.0.2", count: 1_500).joined(separator: ",")
        let address = ForwardedAddress.of(
            peer: try #require(ClientAddress("10.0.0.1")), isFromTrustedProxy: true,
            forwarded: [], xForwardedFor: ["203.0.113.7,\(list)"],
            trusted: ["10.0.0.0/8"].compactMap(AddressNetwork.init))
        #expect(address.text == "203.0.113.7")
    }
}
