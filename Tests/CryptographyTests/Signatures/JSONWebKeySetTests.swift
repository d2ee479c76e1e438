import Testing

@testable import Cryptography

@Suite("JSON Web Key sets")
struct JSONWebKeySetTests {
    private let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
    private let y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"

    private func key(_ more: String = "") -> String {
        #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"\#(more)}"#
    }

    private func set(_ keys: String...) throws -> JSONWebKeySet {
        try JSONWebKeySet(json: #"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8)
    }

    @Test("S-01: a published set is read back")
    func roundTrip() throws {
        let keys = try (0..<3).map { _ in try SigningKey.generate().verifyingKey }
        let set = try JSONWebKeySet(keys)
        let again = try JSONWebKeySet(json: set.json.utf8)
        #expect(again.identifiers == keys.map(\.identifier).sorted())
        #expect(again.json == set.json)
        for key in keys { #expect(again[key.identifier]?.x == key.x) }
    }

    @Test("a key is named by its kid, or by its thumbprint if it has none")
    func names() throws {
        #expect(try set(key(#","kid":"k1""#)).identifiers == ["k1"])
        #expect(try set(key()).identifiers == [rfcThumbprint()])
    }

    private func rfcThumbprint() -> String {
        Base64URL.encode(
            SHA256.hash(#"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#.utf8))
    }

    @Test("keys of other kinds and uses are skipped")
    func others() throws {
        let set = try set(
            #"{"kty":"RSA","n":"AQAB","e":"AQAB","kid":"rsa"}"#,
            #"{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}"#, key(#","use":"enc""#),
            key(#","alg":"ECDH-ES""#), #"{"kty":"OKP"}"#, key(#","kid":"good""#))
        #expect(set.identifiers == ["good"])
    }

    @Test("a set with a private or symmetric key is rejected")
    func secrets() {
        #expect(throws: JSONWebKeySetError.holdsSecret) { try set(key(#","d":"AA""#)) }
        #expect(throws: JSONWebKeySetError.holdsSecret) { try set(#"{"kty":"oct","k":"AA"}"#) }
    }

    @Test("duplicate key names, points off the curve and padded coordinates are rejected")
    func broken() {
        let named = key(#","kid":"k1""#)
        #expect(throws: JSONWebKeySetError.repeatedIdentifier("k1")) { try set(named, named) }
        for (x, y) in [(y, x), (x + "=", y), (x, ""), ("AA", "AA")] {
            #expect(throws: JSONWebKeySetError.invalidKey) {
                try set(#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#)
            }
        }
        #expect(throws: JSONWebKeySetError.invalidKey) { try set(#"{"kty":"EC","crv":"P-256"}"#) }
    }

    @Test("a text that is not a set, or is longer than 64 KiB, is rejected")
    func malformed() {
        let texts = [
            "", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[1]}"#, #"{"keys":[],"keys":[]}"#,
            #"{"keys":[]}"# + String(repeating: " ", count: 64 * 1_024),
        ]
        for text in texts {
            #expect(throws: JSONWebKeySetError.malformed) { try JSONWebKeySet(json: text.utf8) }
        }
    }
}
