import Cryptography
import Messages

// The options of ceremonies, as `parseCreationOptionsFromJSON` and `parseRequestOptionsFromJSON`
// take them (Web Authentication Level 3, sections 5.1.9 and 5.1.10).

/// Facts of all options.
private enum PasskeyOptions {
    static let type = "public-key"
    static let required = "required"
    static let preferred = "preferred"
    /// What we ask for of an attestation.
    static let attestation = "none"
    /// How long a prompt waits, in milliseconds: half of a challenge's life
    /// (`PasskeyChallenges.life`), so that the answer is in time.
    static let timeout: UInt32 = 300_000
}

extension GatewayV1.PasskeyCreationOptions {
    /// Asks for a discoverable passkey with a verified person. One that a browser adds without a
    /// prompt has no person to verify: it proves nothing until it is used.
    /// - Parameters:
    ///   - challenge: In base64url.
    ///   - app: As people know it.
    ///   - passkeys: Those that the account has of this domain.
    init(
        _ challenge: String, of id: PasskeyRPID, app: String, user: GatewayV1.PasskeyUser,
        excluding passkeys: [IdentityV1.StoredPasskey], isAutomatic: Bool
    ) {
        self.init(
            rp: GatewayV1.PasskeyRelyingParty(id: id.text, name: app.isEmpty ? id.text : app),
            user: user, challenge: challenge,
            pubKeyCredParams: COSEAlgorithm.allCases.map {
                GatewayV1.PasskeyParameter(
                    type: PasskeyOptions.type, alg: Int32(clamping: $0.rawValue))
            },
            timeout: PasskeyOptions.timeout,
            excludeCredentials: passkeys.map(GatewayV1.PasskeyDescriptor.init),
            authenticatorSelection: GatewayV1.PasskeySelection(
                residentKey: PasskeyOptions.required, requireResidentKey: true,
                userVerification: isAutomatic
                    ? PasskeyOptions.preferred : PasskeyOptions.required),
            attestation: PasskeyOptions.attestation)
    }
}

extension GatewayV1.PasskeyRequestOptions {
    /// Asks for a signature with a verified person.
    /// - Parameters:
    ///   - challenge: In base64url.
    ///   - passkeys: Those that would do; empty for any.
    init(
        _ challenge: String, of id: PasskeyRPID, allowing passkeys: [IdentityV1.StoredPasskey]
    ) {
        self.init(
            challenge: challenge, timeout: PasskeyOptions.timeout, rpId: id.text,
            allowCredentials: passkeys.map(GatewayV1.PasskeyDescriptor.init),
            userVerification: PasskeyOptions.required)
    }
}

extension GatewayV1.PasskeyDescriptor {
    /// Names a passkey.
    fileprivate init(_ passkey: IdentityV1.StoredPasskey) {
        self.init(
            type: PasskeyOptions.type, id: Base64URL.encode(passkey.credentialId),
            transports: passkey.transports)
    }
}

/// How authenticators can be reached, as browsers name it. What they say is stored only in this
/// form.
enum PasskeyTransports {
    private static let countMax = 8
    private static let bytesMax = 16

    /// Those of `transports` that are kept.
    static func kept(_ transports: [String]) -> [String] {
        Array(
            transports.filter { text in
                (1...bytesMax).contains(text.utf8.count)
                    && text.utf8.allSatisfy { byte in
                        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                            || byte == UInt8(ascii: "-")
                    }
            }.prefix(countMax))
    }
}
