import Addresses
import Testing

@testable import WebService

@Suite("PROXY protocol: reading a header")
struct ProxyHeaderTests {
    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    private static let four: [UInt8] = [192, 0, 2, 1, 192, 0, 2, 2, 0x1F, 0x90, 0x00, 0x50]

    private func read(_ text: String) -> ProxyHeader { ProxyHeader.read(Array(text.utf8)) }

    private func binary(_ command: UInt8, _ family: UInt8, _ rest: [UInt8]) -> [UInt8] {
        Self.signature + [command, family, UInt8(rest.count >> 8), UInt8(rest.count & 0xff)] + rest
    }

    @Test(
        "version 1 names the client",
        arguments: [
            ("PROXY TCP4 192.0.2.1 192.0.2.2 56324 443\r\n", "192.0.2.1"),
            ("PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n", "255.255.255.255"),
            ("PROXY TCP6 2001:db8::1 2001:db8::2 0 443\r\n", "2001:db8::1"),
            ("PROXY TCP6 ::ffff:192.0.2.1 ::1 1 443\r\n", "192.0.2.1"),
        ])
    func text(header: String, client: String) {
        let expected = ProxyHeader.complete(
            client: ClientAddress(client), byteCount: header.utf8.count)
        #expect(read(header) == expected)
        #expect(read(header + "GET / HTTP/1.1\r\n") == expected)
    }

    @Test("version 1 UNKNOWN names no client, whatever follows")
    func unknown() {
        #expect(read("PROXY UNKNOWN\r\n") == .complete(client: nil, byteCount: 15))
        #expect(read("PROXY UNKNOWN a b c d\r\nrest") == .complete(client: nil, byteCount: 23))
    }

    @Test("each proper prefix of a header is incomplete")
    func prefixes() {
        let text = Array("PROXY TCP4 192.0.2.1 192.0.2.2 56324 443\r\n".utf8)
        let binary = binary(0x21, 0x11, Self.four)
        for header in [text, binary] {
            for count in 0..<header.count {
                #expect(ProxyHeader.read(header.prefix(count)) == .incomplete)
            }
        }
    }

    @Test(
        "a header of version 1 that violates a rule is malformed",
        arguments: [
            "PROXY TCP4 192.0.2.1 192.0.2.2 56324 443\n",
            "PROXY  TCP4 192.0.2.1 192.0.2.2 56324 443\r\n",
            "PROXY TCP4 192.0.2.1 192.0.2.2 56324 443 \r\n",
            "PROXY TCP4 192.0.2.1 192.0.2.2 56324\r\n",
            "PROXY TCP4 192.0.2.1 192.0.2.2 56324 65536\r\n",
            "PROXY TCP4 192.0.2.1 192.0.2.2 056324 443\r\n",
            "PROXY TCP4 192.0.2.1 192.0.2.2 -1 443\r\n",
            "PROXY TCP4 192.0.2 192.0.2.2 56324 443\r\n",
            "PROXY TCP4 2001:db8::1 2001:db8::2 56324 443\r\n",
            "PROXY TCP6 192.0.2.1 192.0.2.2 56324 443\r\n",
            "PROXY UDP4 192.0.2.1 192.0.2.2 56324 443\r\n",
            "PROXY tcp4 192.0.2.1 192.0.2.2 56324 443\r\n",
            "PROXY \r\n",
            "PROXY TCP4 192.0.2.1%eth0 192.0.2.2 56324 443\r\n",
            "PROXY UNKNOWN " + String(repeating: "x", count: 100) + "\r\n",
        ])
    func malformed(header: String) {
        #expect(read(header) == .malformed)
    }

    @Test(
        "bytes that begin no header are not one",
        arguments: ["GET / HTTP/1.1\r\n", "POST / HTTP/1.1\r\n", "PRI * HTTP/2.0\r\n", "proxy "])
    func absent(text: String) {
        #expect(read(text) == .absent)
        #expect(ProxyHeader.read([0x16, 0x03, 0x01]) == .absent)
    }

    @Test("version 2 names the client, and what follows the addresses is skipped")
    func binary() {
        let header = binary(0x21, 0x11, Self.four + [0x04, 0x00, 0x01, 0x00])
        let client = ClientAddress("192.0.2.1")
        #expect(ProxyHeader.read(header) == .complete(client: client, byteCount: 32))
        #expect(ProxyHeader.read(header + [0x47]) == .complete(client: client, byteCount: 32))
        let six = [0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [1]
        let header6 = binary(0x21, 0x21, six + six + [0, 1, 0, 2])
        #expect(
            ProxyHeader.read(header6)
                == .complete(client: ClientAddress("2001:db8::1"), byteCount: 52))
    }

    @Test("version 2 LOCAL and UNSPEC name no client")
    func local() {
        let headers = [
            binary(0x20, 0x00, []), binary(0x20, 0x11, Self.four), binary(0x21, 0x00, [1, 2, 3]),
        ]
        for header in headers {
            #expect(
                ProxyHeader.read(header) == .complete(client: nil, byteCount: header.count))
        }
    }

    @Test("a header of version 2 that violates a rule is malformed")
    func malformedBinary() {
        let headers = [
            binary(0x11, 0x11, Self.four), binary(0x31, 0x11, Self.four),
            binary(0x22, 0x11, Self.four), binary(0x21, 0x12, Self.four),
            binary(0x21, 0x31, Self.four), binary(0x21, 0x11, Array(Self.four.dropLast())),
            binary(0x21, 0x21, Self.four),
            Self.signature + [0x21, 0x11, 0xff, 0xff],
        ]
        for header in headers { #expect(ProxyHeader.read(header) == .malformed) }
    }

    @Test("a header of 2,048 bytes is read, and a longer one is refused before it arrives")
    func length() {
        let longest = binary(0x21, 0x11, Self.four + [UInt8](repeating: 0, count: 2_020))
        #expect(longest.count == 2_048)
        #expect(
            ProxyHeader.read(longest)
                == .complete(client: ClientAddress("192.0.2.1"), byteCount: 2_048))
        #expect(ProxyHeader.read(Self.signature + [0x21, 0x11, 0x07, 0xf1]) == .malformed)
    }
}
