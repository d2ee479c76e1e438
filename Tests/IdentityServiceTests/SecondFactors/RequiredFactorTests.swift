import Contracts
import Cryptography
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService

@Suite("F-03: what the operator says of second factors", .timeLimit(.minutes(1)))
struct RequiredFactorTests {
    private static let day: Duration = .seconds(24 * 3_600)

    private static func fixture(_ mode: SecondFactorSettings.Mode) throws -> IdentityFixture {
        try IdentityFixture(adjusting: { $0.secondFactors.mode = mode })
    }

    private func actions(
        _ fixture: IdentityFixture, _ account: String
    ) async throws -> [GatewayV1.RequiredAction] {
        try await fixture.accounts.getAccount(.init(accountId: account), fixture.context())
            .requiredActions
    }

    @Test("`required`: to set one up is the last thing to do, at each way in, until there is one")
    func required() async throws {
        let fixture = try Self.fixture(.required)
        let signedUp = try await fixture.register()
        #expect(signedUp.requiredActions == [.verifyEmail, .setUpSecondFactor])
        let account = try #require(signedUp.account).accountId
        try await fixture.relay()
        let token = fixture.devices.open(account)
        let verified = try await fixture.accounts.confirmEmail(
            .init(token: try fixture.latestToken()), fixture.relayed(token))
        #expect(verified.account?.emailVerified == true)
        // The demand passes where there is no factor: what a session may do is the app's decision.
        #expect(try await fixture.signIn().requiredActions == [.setUpSecondFactor])
        #expect(try await fixture.resetPassword().requiredActions == [.setUpSecondFactor])
        let google = try await fixture.signIn(by: .token("g1", email: "eve@example.org"))
        #expect(google.requiredActions == [.setUpSecondFactor])
        let guest = try await fixture.identities.signInAsGuest(
            .init(device: IdentityFixture.device, mailLanguage: "en-GB"), fixture.context())
        #expect(guest.account?.isGuest == true && guest.requiredActions == [])

        fixture.time.advance(by: .seconds(1))
        let own = fixture.devices.open(account)
        let (app, _) = try await fixture.setUpApp(in: own)
        #expect(try await actions(fixture, account) == [])
        fixture.time.advance(by: .seconds(30))
        let challenge = try await fixture.challenge {
            try await fixture.signIn(password: "Owner8Password")
        }
        let answer = try await fixture.complete(
            challenge, .totpCode(app.code(at: fixture.time.now())))
        #expect(answer.admission?.requiredActions == [])
    }

    @Test("`required`: support can remove it, and then it is to be set up again")
    func support() async throws {
        let fixture = try Self.fixture(.required)
        let account = try await fixture.registerProved().accountId
        _ = try await fixture.plantFactor(in: account)
        #expect(try await actions(fixture, account) == [])
        try await fixture.resetFactors(of: account)
        #expect(try await actions(fixture, account) == [])
        fixture.time.advance(by: Self.day)
        try await fixture.finishResets()
        #expect(try await actions(fixture, account) == [.setUpSecondFactor])
        #expect(try await fixture.signIn().requiredActions == [.setUpSecondFactor])
    }

    @Test("`required`: of two the one that is left cannot be removed, whichever it is")
    func last() async throws {
        for kept in 0..<2 {
            let fixture = try Self.fixture(.required)
            let account = try await fixture.registerProved().accountId
            let token = fixture.devices.open(account)
            var ids: [String] = []
            for _ in 0..<2 {
                let answer = try await fixture.setUpApp(in: token).answer
                ids.append(try #require(answer.factor).factorId)
                fixture.time.advance(by: .seconds(30))
            }
            _ = try await fixture.removeFactor(ids[1 - kept], in: token)
            let error = try await refusal {
                try await fixture.removeFactor(ids[kept], in: token)
            }
            #expect(error.code == .lastSecondFactor)
            #expect(try await fixture.signInIsChallenged())
        }
    }

    @Test("of two removals at once of two factors, `required` leaves one", arguments: [1, 2, 3])
    func atOnce(round: Int) async throws {
        let fixture = try Self.fixture(.required)
        let account = try await fixture.registerProved().accountId
        let token = fixture.devices.open(account)
        for _ in 0..<2 {
            _ = try await fixture.setUpApp(in: token)
            fixture.time.advance(by: .seconds(30))
        }
        let ids = try await fixture.listFactors(token).factors.map(\.factorId)
        let refused = await withTaskGroup(of: ErrorCode?.self) { group in
            for id in ids {
                group.addTask {
                    do {
                        _ = try await fixture.removeFactor(id, in: token)
                        return nil
                    } catch {
                        return (error as? ServiceError)?.code ?? .internalError
                    }
                }
            }
            return await group.reduce(into: [ErrorCode?]()) { $0.append($1) }
        }
        #expect(refused.count { $0 == nil } == 1)
        #expect(refused.contains(.lastSecondFactor), "\(round)")
        #expect(try await fixture.count("second_factors") == 1)
    }

    @Test(
        "`optional` and `off` ask for none to be set up",
        arguments: [SecondFactorSettings.Mode.optional, .off])
    func notRequired(mode: SecondFactorSettings.Mode) async throws {
        let fixture = try Self.fixture(mode)
        let account = try await fixture.registerProved().accountId
        #expect(try await actions(fixture, account) == [])
        #expect(try await fixture.signIn().requiredActions == [])
    }

    @Test("`off`: none is added; those that are there are asked for, used, and can be removed")
    func off() async throws {
        let fixture = try Self.fixture(.off)
        let account = try await fixture.registerProved().accountId
        let factor = try await fixture.plantFactor(in: account)
        let token = fixture.devices.open(account)
        _ = try await fixture.link(.token("g1"), in: fixture.proved(account))
        for signIn in [
            { _ = try await fixture.signIn() },
            { _ = try await fixture.signIn(by: .token("g1", nonce: "n")) },
            { _ = try await fixture.resetPassword() },
        ] as [() async throws -> Void] {
            let challenge = try await fixture.challenge(signIn)
            #expect(challenge.kinds == ["totp_code", "recovery_code"])
        }
        fixture.time.advance(by: .seconds(30))
        try await fixture.prove(.totpCode(factor.code(at: fixture.time.now())), in: token)
        fixture.devices.proveAgain(token, amr: Authentication.totp.amr)
        let error = try await refusal { try await fixture.beginApp(token) }
        #expect(error.code == .operationNotAllowed)
        #expect(try await fixture.regenerateCodes(in: token).count == RecoveryCode.count)
        let listed = try #require(try await fixture.listFactors(token).factors.first)
        #expect(try await fixture.removeFactor(listed.factorId, in: token) == [])
        fixture.time.advance(by: .seconds(1))
        #expect(try await fixture.signIn().proof != nil)
    }
}

extension IdentityFixture {
    /// A session with both proofs of now.
    fileprivate func proved(_ account: String) -> String {
        devices.open(account, amr: Authentication.password.amr + Authentication.totp.amr)
    }

    fileprivate func signInIsChallenged() async throws -> Bool {
        try await refusal { try await signIn() }.code == .secondProofRequired
    }
}
