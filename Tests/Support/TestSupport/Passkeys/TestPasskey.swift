package import Cryptography
package import ServiceRuntime

/// A passkey with its private key, as an authenticator has it.
package struct TestPasskey: Sendable {
    /// The private key.
    package enum Key: Sendable {
        /// On P-256.
        case es256(SigningKey)
        /// On Ed25519.
        case edDSA(Ed25519SigningKey)
        /// With this modulus; the exponent is 65,537.
        case rs256(RSASigningKey, modulus: [UInt8])
    }

    /// The credential's id.
    package let id: [UInt8]
    /// The private key.
    package let key: Key

    /// A passkey with a private key.
    package init(id: [UInt8], key: Key) {
        self.id = id
        self.key = key
    }

    /// A new passkey on P-256, with an id of 32 bytes.
    /// - Throws: `CryptographyError`.
    package init(randomness: any Randomness) throws {
        self.init(id: randomness.bytes(32), key: .es256(try SigningKey.generate()))
    }

    /// A new passkey on Ed25519, with an id of 32 bytes. It signs the same bytes the same way, so a
    /// call that is made again has the bytes of the first one.
    /// - Throws: `CryptographyError`.
    package static func repeatable(randomness: any Randomness) throws -> TestPasskey {
        let seed = SecretBytes.generate(count: 32, randomness: randomness)
        return TestPasskey(
            id: randomness.bytes(32), key: .edDSA(try Ed25519SigningKey(seed: seed)))
    }

    /// A new passkey of an RSA key.
    /// - Throws: `CryptographyError`.
    package static func rsa(id: [UInt8], bits: Int = 2_048) throws -> TestPasskey {
        let key = try RSASigningKey.generate(bits: bits)
        // The key ends with the modulus and then the exponent, 02 03 01 00 01.
        let modulus = Array(key.publicDER.dropLast(5).suffix(bits / 8))
        return TestPasskey(id: id, key: .rs256(key, modulus: modulus))
    }

    /// The members of the public key (COSE_Key), encoded.
    package var publicMembers: [([UInt8], [UInt8])] {
        func member(_ label: Int, _ value: [UInt8]) -> ([UInt8], [UInt8]) {
            (TestCBOR.integer(label), value)
        }
        func head(_ kind: Int, _ algorithm: Int) -> [([UInt8], [UInt8])] {
            [member(1, TestCBOR.integer(kind)), member(3, TestCBOR.integer(algorithm))]
        }
        switch key {
        case .es256(let key):
            let point = key.verifyingKey
            return head(2, -7) + [
                member(-1, TestCBOR.integer(1)), member(-2, TestCBOR.bytes(point.x)),
                member(-3, TestCBOR.bytes(point.y)),
            ]
        case .edDSA(let key):
            return head(1, -8) + [
                member(-1, TestCBOR.integer(6)), member(-2, TestCBOR.bytes(key.verifyingKey.bytes)),
            ]
        case .rs256(_, let modulus):
            return head(3, -257) + [
                member(-1, TestCBOR.bytes(modulus)), member(-2, TestCBOR.bytes([1, 0, 1])),
            ]
        }
    }

    /// The public key (COSE_Key).
    package var publicKey: [UInt8] { TestCBOR.map(publicMembers) }

    /// A signature in the form of WebAuthn.
    /// - Throws: `CryptographyError`.
    package func sign(_ message: [UInt8]) throws -> [UInt8] {
        switch key {
        case .es256(let key):
            let raw = try key.sign(message)
            return DER.sequence(DER.integer(raw.prefix(32)), DER.integer(raw.suffix(32)))
        case .edDSA(let key): return try key.sign(message)
        case .rs256(let key, _): return try key.sign(message)
        }
    }
}

/// What a browser and an authenticator say in a ceremony: all of it right, unless a test changes
/// something.
package struct TestCeremony: Sendable {
    /// The challenge, in Base64url.
    package var challenge: String
    /// The page's origin.
    package var origin = "https://example.org"
    /// The id of the relying party.
    package var relyingParty = "example.org"
    /// `type` in the client data; nil for the ceremony's own.
    package var type: String?
    /// Further members of the client data.
    package var members = #","crossOrigin":false"#
    /// The bytes of the client data; nil for those that the members above make.
    package var clientData: [UInt8]?
    /// The flags, but for AT and ED: UP, UV, BE and BS.
    package var flags: UInt8 = 0x1D
    /// The count of signatures.
    package var signCount: UInt32 = 0
    /// The AAGUID.
    package var aaguid = [UInt8](repeating: 0, count: 16)
    /// The id in the credential data; nil for the passkey's.
    package var credentialID: [UInt8]?
    /// The public key in the credential data; nil for the passkey's.
    package var publicKey: [UInt8]?
    /// Whether a registration has credential data.
    package var hasCredential = true
    /// The encoded extensions; nil for none.
    package var extensions: [UInt8]?
    /// What follows all that belongs to the authenticator data.
    package var rest: [UInt8] = []
    /// The handle that an assertion returns, in Base64url; empty for none.
    package var userHandle = ""

    /// A ceremony for a challenge in Base64url.
    package init(challenge: String) { self.challenge = challenge }

    private func clientData(_ type: String) -> [UInt8] {
        clientData
            ?? Array(
                (#"{"type":"\#(self.type ?? type)","challenge":"\#(challenge)","#
                    + #""origin":"\#(origin)"\#(members)}"#).utf8)
    }

    private func authenticatorData(of passkey: TestPasskey, isNew: Bool) -> [UInt8] {
        let isNew = isNew && hasCredential
        let flags = flags | (isNew ? 0x40 : 0) | (extensions == nil ? 0 : 0x80)
        var data = SHA256.hash(relyingParty.utf8) + [flags]
        data.append(bigEndian: signCount)
        if isNew {
            let id = credentialID ?? passkey.id
            data += aaguid
            data.append(bigEndian: UInt16(id.count))
            data += id + (publicKey ?? passkey.publicKey)
        }
        return data + (extensions ?? []) + rest
    }

    /// The registration of a passkey, without attestation.
    package func registration(of passkey: TestPasskey) -> TestRegistration {
        let object = TestCBOR.map([
            (TestCBOR.text("fmt"), TestCBOR.text("none")),
            (TestCBOR.text("attStmt"), TestCBOR.map([])),
            (
                TestCBOR.text("authData"),
                TestCBOR.bytes(authenticatorData(of: passkey, isNew: true))
            ),
        ])
        let id = Base64URL.encode(passkey.id)
        return TestRegistration(
            id: id, rawID: id, clientDataJSON: Base64URL.encode(clientData("webauthn.create")),
            attestationObject: Base64URL.encode(object))
    }

    /// A signature by a passkey.
    /// - Throws: `CryptographyError`.
    package func assertion(by passkey: TestPasskey) throws -> TestAssertion {
        let clientData = clientData("webauthn.get")
        let data = authenticatorData(of: passkey, isNew: false)
        let id = Base64URL.encode(passkey.id)
        return TestAssertion(
            id: id, rawID: id, clientDataJSON: Base64URL.encode(clientData),
            authenticatorData: Base64URL.encode(data),
            signature: Base64URL.encode(try passkey.sign(data + SHA256.hash(clientData))),
            userHandle: userHandle)
    }
}

/// The texts of a `RegistrationResponseJSON`.
package struct TestRegistration: Sendable {
    /// `id`
    package var id: String
    /// `rawId`
    package var rawID: String
    /// `type`
    package var type = "public-key"
    /// `response.clientDataJSON`
    package var clientDataJSON: String
    /// `response.attestationObject`
    package var attestationObject: String
}

/// The texts of an `AuthenticationResponseJSON`.
package struct TestAssertion: Sendable {
    /// `id`
    package var id: String
    /// `rawId`
    package var rawID: String
    /// `type`
    package var type = "public-key"
    /// `response.clientDataJSON`
    package var clientDataJSON: String
    /// `response.authenticatorData`
    package var authenticatorData: String
    /// `response.signature`
    package var signature: String
    /// `response.userHandle`; empty for none.
    package var userHandle: String
}
