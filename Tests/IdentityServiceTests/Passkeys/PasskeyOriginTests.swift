import Cryptography
import Testing

@testable import IdentityService

@Suite("F-01: ids of the relying party, and origins")
struct PasskeyOriginTests {
    private func id(_ text: String = "example.org") throws -> PasskeyRPID {
        try #require(PasskeyRPID(text))
    }

    private let hash = [UInt8](repeating: 0x28, count: 32)

    @Test(
        "a domain in its one form and localhost are ids",
        arguments: ["example.org", "app.example.org", "localhost", "xn--bcher-kva.example", "a.b"])
    func ids(text: String) throws {
        let id = try id(text)
        #expect(id.text == text && id.hash == SHA256.hash(text.utf8))
    }

    @Test(
        "IP addresses, other single labels, schemes, ports and other forms are none",
        arguments: [
            "", "127.0.0.1", "192.0.2.1", "[::1]", "::1", "intranet", "com", "Example.org",
            "LOCALHOST", "example.org.", ".example.org", "example..org", "https://example.org",
            "example.org:443", "example.org/", "*.example.org", "bücher.example", "a_b.example",
            "example.org\u{0}", " example.org", "example.1", "exam\u{212A}ple.org",
            String(repeating: "a", count: 64) + ".org",
        ])
    func otherIDs(text: String) { #expect(PasskeyRPID(text) == nil) }

    @Test(
        "web origins at or below the id are accepted",
        arguments: [
            ("example.org", "https://example.org"), ("example.org", "https://example.org:8443"),
            ("example.org", "https://app.example.org"), ("example.org", "https://a.b.example.org"),
            ("localhost", "http://localhost"), ("localhost", "http://localhost:7480"),
            ("localhost", "https://localhost:8443"),
        ])
    func own(id text: String, origin: String) throws {
        #expect(PasskeyOrigin(origin, of: try id(text))?.text == origin)
    }

    @Test(
        "other origins are refused",
        arguments: [
            ("example.org", "https://example.com"), ("example.org", "https://evilexample.org"),
            ("example.org", "https://example.org.evil.test"), ("example.org", "http://example.org"),
            ("example.org", "https://example.org/"), ("example.org", "https://example.org/a"),
            ("example.org", "https://example.org:443"), ("example.org", "https://Example.org"),
            ("example.org", "https://example.org."), ("example.org", "https://127.0.0.1"),
            ("example.org", "http://localhost:7480"), ("example.org", "example.org"),
            ("example.org", "https://a@example.org"), ("example.org", "https://a..example.org"),
            ("example.org", "https://-a.example.org"), ("example.org", "https://*.example.org"),
            ("example.org", "null"), ("example.org", ""), ("example.org", "wss://example.org"),
            ("example.org", "capacitor://localhost"), ("app.example.org", "https://example.org"),
            ("localhost", "http://127.0.0.1:7480"), ("localhost", "http://[::1]:7480"),
            ("localhost", "https://[::1]:7480"), ("localhost", "http://localhost:80"),
            ("localhost", "http://app.localhost:7480"), ("localhost", "http://localhost/"),
            ("localhost", "https://example.org"),
        ])
    func others(id text: String, origin: String) throws {
        #expect(PasskeyOrigin(origin, of: try id(text)) == nil)
    }

    @Test("an app on Android is named by its origin or by its certificate as Play shows it")
    func android() throws {
        let origin = "android:apk-key-hash:" + Base64URL.encode(hash)
        let id = try id()
        #expect(PasskeyOrigin(origin, of: id)?.text == origin)
        let pairs = hash.map { Hex.encode([$0]).uppercased() }
        #expect(PasskeyOrigin(pairs.joined(separator: ":"), of: id)?.text == origin)
        let lower = pairs.joined(separator: ":").lowercased()
        #expect(PasskeyOrigin(lower, of: id)?.text == origin)
        for text in [
            origin + "=", String(origin.dropLast()), origin + "A", origin.uppercased(),
            "android:apk-key-hash:", "android:apk-key-hash:" + Base64.encode(hash),
            "android:apk-key-hash-sha256:" + Base64URL.encode(hash),
            "android:apk-key-hash:" + Base64URL.encode(hash.dropLast()),
            "android:apk-key-hash:" + Hex.encode(hash),
            pairs.dropLast().joined(separator: ":"), pairs.joined(), pairs.joined(separator: " "),
            pairs.joined(separator: ":") + ":", pairs.joined(separator: ":") + ":00",
            pairs.joined(separator: ":").replacing("28", with: "2G"),
        ] {
            #expect(PasskeyOrigin(text, of: id) == nil, "\(text)")
            #expect(PasskeyOrigin(related: text, to: id) == nil, "\(text)")
        }
        #expect(PasskeyOrigin(related: origin, to: id) == nil)
    }

    @Test("a related origin is another site, by https")
    func related() throws {
        let id = try id()
        for text in ["https://example.com", "https://example.co.uk:8443", "https://org.example"] {
            #expect(PasskeyOrigin(related: text, to: id)?.text == text)
        }
        for text in [
            "https://example.org", "https://app.example.org", "http://example.com",
            "http://localhost", "https://localhost", "https://127.0.0.1", "https://intranet",
            "https://example.com/", "https://example.com:443", "HTTPS://example.com", "null", "",
        ] {
            #expect(PasskeyOrigin(related: text, to: id) == nil, "\(text)")
        }
        // The parent of an id is another site to it.
        let below = try self.id("app.example.org")
        #expect(PasskeyOrigin(related: "https://example.org", to: below) != nil)
    }

    @Test("of the web service's origins those at or below the id are taken")
    func webOrigins() throws {
        let local = ["http://localhost:7480", "http://127.0.0.1:7480"]
        let taken = PasskeyRelyingParty.origins(of: local, for: try id("localhost"))
        #expect(taken.map(\.text) == ["http://localhost:7480"])
        #expect(PasskeyRelyingParty.origins(of: local, for: try id()).isEmpty)
    }

    @Test("an origin is accepted if it is a listed text byte for byte, and by nothing else")
    func accepted() throws {
        let id = try id()
        let app = "android:apk-key-hash:" + Base64URL.encode(hash)
        let party = PasskeyRelyingParty(
            id: id,
            origins: try [app, "https://example.org"].map {
                try #require(PasskeyOrigin($0, of: id))
            }, related: [])
        #expect(party.accepts(app) && party.accepts("https://example.org"))
        #expect(!party.accepts("https://app.example.org") && !party.accepts(""))
        #expect(app.contains("K"))
        let kelvin = app.replacing("K", with: "\u{212A}")
        #expect(kelvin == app, "to Swift both are one text")
        #expect(!party.accepts(kelvin))
        let none = PasskeyRelyingParty(id: id, origins: [], related: [])
        #expect(!none.accepts("") && !none.accepts("https://example.org"))
    }
}
