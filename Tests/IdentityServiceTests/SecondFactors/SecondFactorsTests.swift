import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

@Suite("F-03, F-04: an owner's second factors", .timeLimit(.minutes(1)))
struct SecondFactorsTests {
    let fixture: IdentityFixture
    /// "acc_…"
    let account: String
    /// An access token, whose session has the proof of the first app.
    let token: String
    let app: AppSetUp
    let confirmed: IdentityV1.ConfirmTOTPResponse
    /// "fac_…"
    let factor: String

    init() async throws {
        fixture = try IdentityFixture()
        account = try await fixture.registerProved().accountId
        token = fixture.devices.open(account)
        (app, confirmed) = try await fixture.setUpApp(in: token)
        factor = try #require(confirmed.factor).factorId
        try await fixture.relay()
    }

    /// Adds another app, a minute later.
    private func another() async throws -> (app: AppSetUp, id: String) {
        fixture.time.advance(by: .seconds(60))
        let (app, answer) = try await fixture.setUpApp(in: token)
        return (app, try #require(answer.factor).factorId)
    }

    private var code: ErrorCode? {
        get async throws {
            do {
                _ = try await fixture.signIn()
                return nil
            } catch let error as ServiceError {
                return error.code
            }
        }
    }

    @Test("the list has names, times and how many codes are left")
    func lists() async throws {
        let added = fixture.time.now().milliseconds
        fixture.time.advance(by: .seconds(60))
        try await fixture.prove(.totpCode(app.code(at: fixture.time.now())), in: token)
        try await fixture.prove(
            .recoveryCode(.init(text: confirmed.recoveryCodes[0])), in: token)
        let listed = try await fixture.listFactors(token)
        #expect(
            listed
                == .init(
                    factors: [
                        .init(
                            factorId: factor, kind: "totp", name: "phone", addedAtMs: added,
                            lastUsedAtMs: added + 60_000)
                    ], recoveryCodesLeft: 9))
        let (_, eves) = try await fixture.member("eve@example.org")
        #expect(try await fixture.listFactors(eves) == .init())
        #expect(try await fixture.listFactors(try await fixture.guest().token) == .init())
    }

    @Test("a factor beside others is removed, and the demand stays")
    func one() async throws {
        let (second, id) = try await another()
        let ended = fixture.sessions.ended.count
        let left = try await fixture.removeFactor(factor, in: token)
        #expect(left.map(\.factorId) == [id])
        #expect(try await fixture.audited("second-factor.removed") == 1)
        #expect(try await fixture.listFactors(token).recoveryCodesLeft == 10)
        fixture.time.advance(by: .seconds(30))
        let former = app.code(at: fixture.time.now())
        let error = try await refusal { try await fixture.prove(.totpCode(former), in: token) }
        #expect(error.code == .invalidCode)
        try await fixture.prove(.totpCode(second.code(at: fixture.time.now())), in: token)
        #expect(try await code == .secondProofRequired)
        try await fixture.relay()
        #expect(fixture.sessions.ended.count == ended)
        #expect(!fixture.templates.contains("second-factor-off"))
    }

    @Test("N-01: with the last one the codes go, the other sessions end, and the owner is told")
    func last() async throws {
        fixture.time.advance(by: .seconds(1))
        let left = try await fixture.removeFactor(factor, in: token)
        #expect(left.isEmpty)
        #expect(try await fixture.count("recovery_codes") == 0)
        #expect(try await fixture.listFactors(token) == .init())
        let mail = try #require(try await fixture.delivered("second-factor-off"))
        #expect(mail.recipient == "ada@example.org")
        let ended = try #require(fixture.sessions.ended.last)
        #expect(ended.exceptSessionId == fixture.devices.session(of: token))
        #expect(try await code == nil)
        // One proof is enough again.
        fixture.time.advance(by: .seconds(300))
        fixture.devices.proveAgain(token, amr: Authentication.password.amr)
        let codes = try await fixture.setUpApp(in: token).answer.recoveryCodes
        #expect(codes.count == 10 && Set(codes).isDisjoint(with: confirmed.recoveryCodes))
    }

    @Test("a sign-in that waits for a factor must begin again when the factors change")
    func challenges() async throws {
        for change in [
            { _ = try await another() }, { _ = try await fixture.removeFactor(factor, in: token) },
        ] as [() async throws -> Void] {
            let challenge = try await fixture.challenge { try await fixture.signIn() }
            fixture.time.advance(by: .seconds(30))
            try await change()
            let error = try await refusal {
                try await fixture.complete(
                    challenge, .totpCode(app.code(at: fixture.time.now())))
            }
            #expect(error.code == .invalidChallenge)
        }
    }

    @Test("a factor of nobody, and one of another account, cannot be removed")
    func foreign() async throws {
        let (_, eves) = try await fixture.member("eve@example.org")
        _ = try await fixture.setUpApp(in: eves)
        for id in ["", "fac_0000000000001", "acc_0000000000001", factor.uppercased()] {
            let error = try await refusal { try await fixture.removeFactor(id, in: token) }
            #expect(error == ServiceError(.notFound, fields: ["factor_id"]), "\(id)")
        }
        let error = try await refusal { try await fixture.removeFactor(factor, in: eves) }
        #expect(error.code == .notFound)
        #expect(try await fixture.count("second_factors") == 2)
    }

    @Test("G-25: a repeat of a removal gets the present list, and removes nothing more")
    func repeated() async throws {
        let (_, id) = try await another()
        let first = try await fixture.removeFactor(factor, in: token, key: "k")
        #expect(try await fixture.removeFactor(factor, in: token, key: "k") == first)
        let other = try await refusal {
            try await fixture.removeFactor(id, in: token, key: "k")
        }
        #expect(other.code == .idempotencyKeyReused)
        #expect(try await fixture.audited("second-factor.removed") == 1)
    }

    @Test("F-03: with `required` the last one stays, and others go")
    func required() async throws {
        let strict = try IdentityFixture(adjusting: { $0.secondFactors.mode = .required })
        let account = try await strict.registerProved().accountId
        let token = strict.devices.open(account)
        let first = try #require(try await strict.setUpApp(in: token).answer.factor)
        strict.time.advance(by: .seconds(30))
        let second = try #require(try await strict.setUpApp(in: token).answer.factor)
        _ = try await strict.removeFactor(first.factorId, in: token)
        let error = try await refusal {
            try await strict.removeFactor(second.factorId, in: token)
        }
        #expect(error.code == .lastSecondFactor)
        #expect(
            try await strict.audited(
                "second-factor.refused", outcome: ErrorCode.lastSecondFactor.rawValue) == 1)
        #expect(try await strict.listFactors(token).factors.map(\.factorId) == [second.factorId])
    }

    @Test("other recovery codes make the former ones void; a repeat has none of them")
    func regenerated() async throws {
        let codes = try await fixture.regenerateCodes(in: token, key: "k")
        #expect(codes.count == 10 && Set(codes).isDisjoint(with: confirmed.recoveryCodes))
        #expect(try await fixture.regenerateCodes(in: token, key: "k") == [])
        #expect(try await fixture.audited("recovery-codes.made") == 2)
        for (list, isRight) in [(confirmed.recoveryCodes, false), (codes, true)] {
            for code in list {
                do {
                    try await fixture.prove(.recoveryCode(.init(text: code)), in: token)
                    #expect(isRight)
                } catch let error as ServiceError {
                    #expect(error.code == .invalidCode && !isRight)
                }
            }
        }
        let (_, eves) = try await fixture.member("eve@example.org")
        let error = try await refusal { try await fixture.regenerateCodes(in: eves) }
        #expect(error.code == .operationNotAllowed)
    }

    @Test("N-01: each use of a recovery code is told, and the mail says when few are left")
    func uses() async throws {
        for (number, code) in confirmed.recoveryCodes.enumerated() {
            // Three notices of a kind are sent in an hour.
            fixture.time.advance(by: .seconds(3_600))
            try await fixture.prove(
                .recoveryCode(.init(text: code.lowercased())), in: token)
            let left = 9 - number
            let template = left < 3 ? "recovery-codes-low" : "recovery-code-used"
            let mail = try #require(try await fixture.delivered(template), "\(left)")
            #expect(mail.variables.contains { $0.name == "count" && $0.value == "\(left)" })
        }
        #expect(fixture.templates.count { $0 == "recovery-code-used" } == 7)
        #expect(fixture.templates.count { $0 == "recovery-codes-low" } == 3)
        // Without codes the app is the only kind.
        let error = try await refusal { try await fixture.signIn() }
        #expect(error.secondProof?.kinds == ["totp_code"])
    }
}
