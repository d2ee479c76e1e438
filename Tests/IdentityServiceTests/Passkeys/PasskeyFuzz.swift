import Cryptography
import ServiceRuntime
import TestSupport

@testable import IdentityService

/// Any bytes as what a browser sends of a passkey: refused, or accepted with all that the rule
/// promises. Nothing but what was signed is accepted as signed.
///
/// The first byte chooses the part. The parts of a response have their length in two bytes before
/// them.
package enum PasskeyFuzz {
    /// What comes of an input.
    package enum Outcome: Hashable, Sendable {
        /// It is refused, which is always right.
        case refused
        /// It is accepted, and is what it should be.
        case accepted
        /// It is accepted, and should not be.
        case wrong(String)
    }

    /// A description of what is wrong, or nil.
    package static func finding(_ input: [UInt8]) -> String? {
        if case .wrong(let finding) = outcome(of: input) { finding } else { nil }
    }

    /// What comes of an input.
    package static func outcome(of input: [UInt8]) -> Outcome {
        guard let stage else { return .wrong("the fuzzer has no passkey") }
        guard let part = input.first else { return .refused }
        let rest = Array(input.dropFirst())
        return switch part % 5 {
        case 0: cbor(rest)
        case 1: authenticatorData(rest)
        case 2: clientData(rest)
        case 3: stage.registration(rest)
        default: stage.assertion(rest)
        }
    }

    private static let stage = try? FuzzStage()

    private static func cbor(_ input: [UInt8]) -> Outcome {
        // A refusal is a valid result, here and below.
        guard let value = try? CBORReader.value(in: input) else { return .refused }
        return TestCBOR.value(value) == input ? .accepted : .wrong("CBOR has another form")
    }

    private static func authenticatorData(_ input: [UInt8]) -> Outcome {
        guard let data = try? AuthenticatorData(input) else { return .refused }
        var rest = input.dropFirst(37)
        if let credential = data.credential {
            let length = UInt16(credential.id.count).bigEndianBytes
            let bytes = credential.aaguid + length + credential.id + credential.key
            guard rest.starts(with: bytes) else { return .wrong("another credential") }
            rest = rest.dropFirst(bytes.count)
        }
        guard data.flags.contains(.extensions) != rest.isEmpty,
            data.flags.contains(.attestedCredential) == (data.credential != nil)
        else { return .wrong("a part without its flag") }
        return .accepted
    }

    private static func clientData(_ input: [UInt8]) -> Outcome {
        guard let data = try? ClientData(input) else { return .refused }
        guard input.count <= ClientData.bytesMax, data.hash == SHA256.hash(input) else {
            return .wrong("another hash")
        }
        // A text without escapes is in the input as it is.
        let isEscaped = input.contains(UInt8(ascii: "\\"))
        for text in [data.type, data.challenge, data.origin] where !isEscaped {
            guard input.contains(Array(text.utf8)) else { return .wrong("a text of elsewhere") }
        }
        return .accepted
    }
}

/// A passkey whose signatures are the same in each run, and its relying party.
private struct FuzzStage: Sendable {
    private static let origin = "https://example.org"

    private let relyingParty: PasskeyRelyingParty
    private let challenge = String(repeating: "A", count: 54)
    private let adding: PasskeyChallenge.Purpose
    private let known: KnownPasskey
    /// What the passkey has signed.
    private let signed: TestAssertion

    /// Nil if something of it cannot be made.
    init?() throws {
        guard let id = PasskeyRPID("example.org"), let account = AccountID(key: 1),
            let origin = PasskeyOrigin(Self.origin, of: id), let session = SessionID(key: 1)
        else { return nil }
        relyingParty = PasskeyRelyingParty(id: id, origins: [origin], related: [])
        adding = .adding(account, session, isAutomatic: false)
        let seed = SecretBytes(copying: [UInt8](repeating: 9, count: 32))
        let passkey = TestPasskey(
            id: [UInt8](repeating: 4, count: 16), key: .edDSA(try Ed25519SigningKey(seed: seed)))
        known = KnownPasskey(
            id: passkey.id, key: passkey.publicKey, userHandle: [1], relyingParty: id.text,
            signCount: 0, backup: [])
        signed = try TestCeremony(challenge: challenge).assertion(by: passkey)
    }

    /// Splits bytes into three parts, each after its length. Nil if they end before.
    private func parts(of input: [UInt8]) -> [String]? {
        var rest = input[...]
        var parts: [String] = []
        while parts.count < 3 {
            guard rest.count >= 2 else { return nil }
            let length = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
            parts.append(Base64URL.encode(rest.dropFirst(2).prefix(length)))
            rest = rest.dropFirst(2 + length)
        }
        return parts
    }

    /// The id, the client data and the attestation object.
    func registration(_ input: [UInt8]) -> PasskeyFuzz.Outcome {
        guard let parts = parts(of: input),
            let response = try? RegistrationResponse(
                id: parts[0], rawID: parts[0], type: "public-key", clientDataJSON: parts[1],
                attestationObject: parts[2]),
            let added = try? PasskeyRule.registered(
                by: response, answering: PasskeyChallenge(text: challenge, purpose: adding),
                at: relyingParty)
        else { return .refused }
        let flags = response.authenticatorData.flags
        guard flags.isSuperset(of: [.userPresent, .userVerified]), added.id == response.id,
            (16...1_023).contains(added.id.count), (try? COSEKey(added.key)) != nil,
            response.clientData.origin == Self.origin
        else { return .wrong("a registration that should be refused") }
        return .accepted
    }

    /// The client data, the authenticator data and the signature.
    func assertion(_ input: [UInt8]) -> PasskeyFuzz.Outcome {
        guard let parts = parts(of: input),
            let response = try? AssertionResponse(
                id: signed.id, rawID: signed.id, type: "public-key", clientDataJSON: parts[0],
                authenticatorData: parts[1], signature: parts[2], userHandle: ""),
            (try? PasskeyRule.use(
                of: known, by: response,
                answering: PasskeyChallenge(text: challenge, purpose: .signIn), allowed: nil,
                at: relyingParty)) != nil
        else { return .refused }
        guard parts[0] == signed.clientDataJSON, parts[1] == signed.authenticatorData else {
            return .wrong("what was not signed")
        }
        return .accepted
    }
}
