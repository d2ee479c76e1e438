import JSON
import Testing

@testable import Cryptography

@Suite("Signed tokens by Ed25519 keys")
struct EdDSATokenTests {
    private let key: Ed25519SigningKey
    private let other: Ed25519SigningKey

    init() throws {
        key = try Ed25519SigningKey(seed: SecretBytes(copying: [UInt8](repeating: 1, count: 32)))
        other = try Ed25519SigningKey(seed: SecretBytes(copying: [UInt8](repeating: 2, count: 32)))
    }

    private func token() throws -> String {
        try EdDSAToken.sign(
            ["iss": .string("session")], type: "a+jwt", keyIdentifier: "k1", key: key)
    }

    @Test("a token's claims are read back, and the same claims give the same text")
    func claims() throws {
        let read = try EdDSAToken.claims(of: token(), type: "a+jwt", key: key.verifyingKey)
        #expect(read["iss"] == .string("session"))
        #expect(try token() == token())
    }

    @Test("another type, another key and a changed text are refused")
    func refused() throws {
        let token = try token()
        #expect(throws: TokenRefusal.type) {
            try EdDSAToken.claims(of: token, type: "b+jwt", key: key.verifyingKey)
        }
        #expect(throws: TokenRefusal.signature) {
            try EdDSAToken.claims(of: token, type: "a+jwt", key: other.verifyingKey)
        }
        let parts = token.split(separator: ".")
        let changed = "\(parts[0]).\(Base64URL.encode(#"{"iss":"x"}"#.utf8)).\(parts[2])"
        #expect(throws: TokenRefusal.signature) {
            try EdDSAToken.claims(of: changed, type: "a+jwt", key: key.verifyingKey)
        }
        #expect(throws: TokenRefusal.malformed) {
            try EdDSAToken.claims(of: "\(parts[0])", type: "a+jwt", key: key.verifyingKey)
        }
    }

    @Test("the thumbprint of a key is that of RFC 8037, A.3")
    func thumbprint() throws {
        let x = try #require(
            Base64URL.decode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo".utf8))
        #expect(
            try Ed25519VerifyingKey(bytes: x).thumbprint
                == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
    }
}
