import Contracts
import ServiceRuntime
import Testing

@testable import GatewayService

@Suite("H2, B2: a failed flow's charge stays or is refunded", .timeLimit(.minutes(1)))
struct ChargeSettlementTests {
    /// The codes after which a charge stands, by kind. After every other code it is refunded.
    private static let standing: [ChargeKind: Set<ErrorCode>] = [
        .guess: [
            .invalidCredential, .invalidCode, .codeExpired, .secondProofRequired,
            .invalidChallenge, .invalidProviderToken, .invalidNonce, .invalidPasskey,
            .unknownPasskey, .deadlineExceeded, .cancelled, .unavailable, .internalError,
        ],
        .token: [
            .invalidCredential, .invalidCode, .secondProofRequired, .invalidProviderToken,
            .invalidNonce, .invalidPasskey, .unknownPasskey, .deadlineExceeded, .cancelled,
        ],
        .act: [.emailAlreadyInUse, .deadlineExceeded, .cancelled],
        .guardedAct: [.secondProofRequired, .emailAlreadyInUse],
        .signUp: [
            .emailAlreadyInUse, .underageUser, .idempotencyKeyReused, .deadlineExceeded,
            .cancelled,
        ],
        .write: [
            .documentConflict, .documentQuota, .invalidDocument, .accountRequired,
            .consentRequired, .parentalConsentRequired, .emailNotVerified, .invalidArgument,
            .providerAlreadyLinked, .credentialAlreadyInUse, .methodNotLinked, .lastMethod,
            .lastSecondFactor, .maximumSecondFactorCountExceeded, .invalidPasskey, .passkeyQuota,
            .tooManyRequests, .deadlineExceeded, .cancelled,
        ],
        .upload: [
            .invalidPhoto, .documentQuota, .invalidDocument, .invalidArgument, .deadlineExceeded,
            .cancelled,
        ],
        .work: Set(ErrorCode.allCases),
    ]

    @Test(
        "H2, B2: the table is right for every error code and kind", arguments: ChargeKind.allCases)
    func table(kind: ChargeKind) throws {
        let standing = try #require(Self.standing[kind])
        for code in ErrorCode.allCases {
            let settlement = ChargeSettlement(of: kind, after: ServiceError(code))
            #expect(
                (settlement == .stays) == standing.contains(code), "\(kind), \(code.rawValue)")
        }
    }

    @Test(
        "H2, B2: a call that was not begun, here or by the peer, is refunded after any error",
        arguments: ChargeKind.allCases)
    func notBegun(kind: ChargeKind) {
        for code in ErrorCode.allCases {
            var byPeer = ServiceError(code)
            byPeer.isUnbegunByPeer = true
            for error in [ServiceError(code, notProcessed: true), byPeer] {
                #expect(ChargeSettlement(of: kind, after: error) == .refunded)
            }
        }
    }

    @Test("G-17: a photo that is refused by its length is refunded, and one that was received not")
    func photos() {
        for rule in PhotoRule.allCases {
            var error = ServiceError(.invalidPhoto)
            error.violations = [.init(field: "photo", rule: rule.rawValue)]
            let settlement = ChargeSettlement(of: .upload, after: error)
            #expect(settlement == (rule == .photoBytes ? .refunded : .stays), "\(rule)")
        }
    }

    @Test("I-07: a refused write of the profile's documents is no change of the profile")
    func profileDocuments() {
        let conflict = ServiceError(.documentConflict)
        let write = LimitedAction.documentWrite(account: "a", collections: ["goals", "profile"])
        #expect(write.spared(by: conflict) == [.profileUpdateByAccount])
        // It may be written.
        #expect(write.spared(by: ServiceError(.deadlineExceeded)) == [])
        let other = LimitedAction.documentWrite(account: "a", collections: ["goals"])
        #expect(other.spared(by: conflict) == [])
    }

    @Test("M4: a code guess counts against its number only once identity reports it wrong")
    func codes() {
        let guess = LimitedAction.phoneCodeGuess(
            number: "+4915112345678", request: "pcr_a", device: "d",
            caller: .address("198.51.100.7"))
        let number = [LimitName.phoneCodeGuess]
        #expect(guess.spared(by: ServiceError(.invalidCode, fields: ["code"])) == [])
        #expect(guess.spared(by: ServiceError(.invalidCode, fields: ["request_id"])) == number)
        for code in [
            ErrorCode.deadlineExceeded, .cancelled, .unavailable, .internalError, .codeExpired,
            .secondProofRequired,
        ] {
            #expect(guess.spared(by: ServiceError(code)) == number)
        }
        let signIn = LimitedAction.signIn(
            email: "ada@example.org", device: "d", caller: .address("198.51.100.7"))
        #expect(signIn.spared(by: ServiceError(.deadlineExceeded)) == [])
    }
}
