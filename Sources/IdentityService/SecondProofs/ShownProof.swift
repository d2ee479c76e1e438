import Contracts
import Cryptography
import Messages
import ServiceRuntime
import Storage

/// A second proof as a request shows it.
enum ShownProof: Sendable {
    case password(SecretBytes)
    case provider(GatewayV1.ProviderToken)
    /// A code of this kind that was sent, as entered.
    case code(SecondProofKind, SecretBytes)
    /// A proof by a second factor or a recovery code.
    case factor(SecondProofKind, FactorProof.Shown)
    /// A signature by a passkey.
    case passkey(GatewayV1.PasskeyAssertion)

    /// Reads a request.
    /// - Throws: `rpc/invalid-argument` for no proof.
    init(_ proof: GatewayV1.CompleteSignInRequest.Proof?) throws(ServiceError) {
        switch proof {
        case .password(let entered): self = .password(entered)
        case .providerToken(let token): self = .provider(token)
        case .phoneCode(let entered): self = .code(.phone, entered)
        case .emailCode(let entered): self = .code(.email, entered)
        case .totpCode(let entered): self = .factor(.totp, FactorProof.Shown(.totp, typed: entered))
        case .recoveryCode(let entered):
            self = .factor(.recoveryCode, FactorProof.Shown(.recoveryCode, typed: entered))
        case .passkey(let credential): self = .passkey(credential)
        case nil: throw ServiceError(.invalidArgument, fields: ["proof"])
        }
    }

    var kind: SecondProofKind {
        switch self {
        case .password: .password
        case .provider: .provider
        case .passkey: .passkey
        case .code(let kind, _), .factor(let kind, _): kind
        }
    }
}

/// A second proof after what needs no transaction: a password has been compared with a hash, a
/// token's signature verified. Whether it is right is decided in the transaction that counts it.
enum PreparedProof: Sendable {
    /// With the hash that it was compared with, and the uptime from which the minimum time of a
    /// negative result is counted.
    case password(PasswordHolder?, isRight: Bool, begun: Duration)
    /// The identity that a token proves, or why it proves none.
    case provider(Result<ProvedIdentity, ServiceError>)
    /// A code that was sent. Nil when it is not in the format of one.
    case code(PhoneCode?)
    /// It is compared in the transaction.
    case factor(FactorProof.Shown)
    /// A signature that was verified, or why it is none of the account's.
    case passkey(Result<VerifiedPasskey, PasskeyFailure>)

    /// What a repeat of the call with the same idempotency key must prove too. Of a password nothing:
    /// it is compared again, and no hash of it is stored that takes less time than the account's.
    func evidence(_ shown: ShownProof, _ keys: IdentityKeys) -> [UInt8] {
        let kind = Array(shown.kind.rawValue.utf8)
        switch self {
        case .password: return kind
        case .provider(let proved):
            guard case .success(let identity) = proved else { return kind }
            return kind + keys.lookUpKey(of: identity)
        case .code(let code): return kind + Array((code?.digits ?? "").utf8)
        case .factor(let shown): return kind + shown.evidence(keys)
        case .passkey:
            guard case .passkey(let credential) = shown else { return kind }
            return kind + credential.evidence(keys)
        }
    }

    /// What a proof came to.
    enum Verdict: Hashable, Sendable {
        /// It is right.
        case right
        /// It was compared, and is wrong.
        case wrong(ErrorCode)
        /// It was not compared.
        case refused(ErrorCode)
        /// The account changed during the comparison: compare again.
        case changed
    }
}

extension PreparedProof.Verdict {
    /// The error of a proof that is not right; nil for one that is.
    var error: ServiceError? {
        switch self {
        case .right, .changed: nil
        case .wrong(.invalidCode): ServiceError(.invalidCode, fields: ["code"])
        // By the field the gateway distinguishes a guess that was not compared, as for the codes of
        // `PhoneCodeGuess`.
        case .refused(.invalidCode): ServiceError(.invalidCode, fields: ["request_id"])
        case .wrong(let code), .refused(let code): ServiceError(code)
        }
    }
}

extension StoredChallenge {
    /// The keyed hash of a code that is sent for it.
    func hash(of code: PhoneCode, _ kind: SecondProofKind, _ keys: IdentityKeys) -> [UInt8] {
        keys.challenges.hash(message(code, kind))
    }

    /// Whether a code is the one that was sent; compares in constant time.
    func isRight(_ code: PhoneCode, _ sent: Code, _ keys: IdentityKeys) -> Bool {
        keys.challenges.verifies(sent.hash, of: message(code, sent.kind))
    }

    private func message(_ code: PhoneCode, _ kind: SecondProofKind) -> [UInt8] {
        DelimitedParts.joined([
            Array("code".utf8), [challenge].bigEndianBytes, Array(kind.rawValue.utf8),
            Array(code.digits.utf8),
        ])
    }
}
