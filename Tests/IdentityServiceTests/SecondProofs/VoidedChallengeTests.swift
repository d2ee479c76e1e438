import Contracts
import Cryptography
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService

/// Providers, while whose tokens are verified something else happens.
private struct InterruptedTokens: ProviderTokens {
    let tokens = WrittenTokens()
    let meanwhile: @Sendable () async throws -> Void

    func nonce(forProvider name: String) throws -> GatewayV1.IssueNonceResponse {
        try tokens.nonce(forProvider: name)
    }

    func identity(provedBy token: GatewayV1.ProviderToken) async throws -> ProvedIdentity {
        try await meanwhile()
        return try await tokens.identity(provedBy: token)
    }
}

@Suite("F-03: what makes a sign-in void that waits for its second proof", .timeLimit(.minutes(2)))
struct VoidedChallengeTests {
    /// What happens to the account while a sign-in waits.
    enum Event: CaseIterable, Sendable {
        case newPassword, reset, notMe, addedFactor, removedFactor, removalBySupport
        case suspension, suspensionAndRestore, deletion
    }

    private static let thief = GatewayV1.Device(deviceId: "thief", platform: "cli")

    /// A person with an app, and a session that has proved it, which ends with the others.
    private static func person() async throws -> (GatedPerson, PlantedFactor) {
        let person = try await GatedPerson(.standard)
        let factor = try await person.identity.plantFactor(in: person.account)
        person.identity.devices.proveAgain(
            person.token, amr: Authentication.password.amr + Authentication.totp.amr)
        return (person, factor)
    }

    private func removeBySupport(_ person: GatedPerson) async throws {
        let identity = person.identity
        let account = try #require(AccountID(text: person.account))
        let reset = SecondFactorReset(settings: identity.settings, writer: identity.writer)
        _ = try await identity.store.write(about: [.account(account)]) { transaction in
            try reset.request(
                of: try transaction.callersRow(account), reason: "lost", by: "tool/ann",
                after: .zero, transaction)
        }
    }

    private func suspend(_ person: GatedPerson, restoring isRestored: Bool) async throws {
        let identity = person.identity
        let tool = identity.context(application: "tool")
        _ = try await identity.admin(NoActivity()).suspendAccount(
            .init(accountId: person.account, reason: "spam", actor: "ann"), tool)
        guard isRestored else { return }
        _ = try await identity.admin(NoActivity()).restoreAccount(
            .init(accountId: person.account, actor: "ann"), tool)
    }

    private func happens(
        _ event: Event, to person: GatedPerson, _ factor: PlantedFactor, notMe: String
    ) async throws {
        let identity = person.identity
        switch event {
        case .newPassword:
            _ = try await identity.credentials.changePassword(
                .init(
                    currentPassword: "Correct7Horse", newPassword: "Another8Horse",
                    device: IdentityFixture.device), identity.relayed(person.token))
        case .reset:
            let challenge = try await person.begin(.resetLink)
            _ = try await identity.complete(challenge, .recoveryCode(factor.recoveryCode(0)))
        case .notMe: try await identity.disown(notMe)
        case .addedFactor: _ = try await identity.setUpApp(in: person.token)
        case .removedFactor:
            let listed = try await identity.listFactors(person.token).factors
            _ = try await identity.removeFactor(
                try #require(listed.first).factorId, in: person.token)
        case .removalBySupport: try await removeBySupport(person)
        case .suspension: try await suspend(person, restoring: false)
        case .suspensionAndRestore: try await suspend(person, restoring: true)
        case .deletion:
            let deletion = try await identity.requestDeletion(IdentityFixture.caller(person.token))
            #expect(deletion.state == .deleting)
        }
    }

    /// A link "this was not me" about a sign-in with both proofs.
    private func notMeLink(_ person: GatedPerson, _ factor: PlantedFactor) async throws -> String {
        let identity = person.identity
        let challenge = try await identity.challenge {
            try await identity.accounts.verifyPassword(
                .init(
                    signIn: .init(
                        email: "ada@example.org", password: "Correct7Horse",
                        device: Self.thief)), identity.context())
        }
        _ = try await identity.complete(
            challenge, .totpCode(factor.code(at: identity.time.now())), on: Self.thief)
        return try await identity.notMeToken()
    }

    @Test("each voids the sign-ins that wait, by whatever first proof", arguments: Event.allCases)
    func voids(event: Event) async throws {
        for way in [SignInWay.password, .phone, .knownProvider] {
            let (person, factor) = try await Self.person()
            let identity = person.identity
            let notMe = event == .notMe ? try await notMeLink(person, factor) : ""
            let challenge = try await person.begin(way)
            identity.time.advance(by: .seconds(30))
            try await happens(event, to: person, factor, notMe: notMe)
            identity.time.advance(by: .seconds(30))
            let succeeded = try await identity.audited("sign-in.succeeded")
            for proof in [
                .totpCode(factor.code(at: identity.time.now())),
                .recoveryCode(factor.recoveryCode(9)),
            ] as [GatewayV1.CompleteSignInRequest.Proof] {
                let error = try await refusal { try await identity.complete(challenge, proof) }
                #expect(error.code == .invalidChallenge, "\(way)")
            }
            #expect(try await identity.audited("sign-in.succeeded") == succeeded)
        }
    }

    @Test("a reset that waits sets no password after the account has got another one")
    func waitingReset() async throws {
        let (person, factor) = try await Self.person()
        let identity = person.identity
        let challenge = try await person.begin(.resetLink)
        try await happens(.newPassword, to: person, factor, notMe: "")
        let error = try await refusal {
            try await identity.complete(
                challenge, .totpCode(factor.code(at: identity.time.now())))
        }
        #expect(error.code == .invalidChallenge)
        let old = try await refusal { try await identity.signIn(password: "Owner8Password") }
        #expect(old.code == .invalidCredential)
        _ = try await identity.challenge {
            try await identity.signIn(password: "Another8Horse")
        }
    }

    @Test("a deletion that waits leaves them, and the sign-in is one that can cancel it")
    func waitingDeletion() async throws {
        let (person, factor) = try await Self.person()
        let identity = person.identity
        let challenge = try await person.begin(.password)
        _ = try await identity.requestDeletion(
            IdentityFixture.caller(person.token), wait: true)
        let answer = try await identity.complete(
            challenge, .totpCode(factor.code(at: identity.time.now())))
        #expect(answer.admission?.proof?.accountId == person.account)
    }

    // MARK: checked at the end

    /// Attack: Keycloak CVE-2026-16103: it is checked when the sign-in begins, or when the proof
    /// arrives, and not when the session is opened.
    @Test("status, generation and the challenge are read again after the proof was verified")
    func readAgain() async throws {
        let changes: [(String, ErrorCode)] = [
            ("UPDATE accounts SET status = 2", .accountDisabled),
            (
                "UPDATE accounts SET session_generation = session_generation + 1",
                .invalidChallenge
            ),
            ("DELETE FROM sign_in_challenges", .invalidChallenge),
            ("UPDATE sign_in_challenges SET attempts = 5", .invalidChallenge),
            ("UPDATE sign_in_challenges SET used_at_ms = 1", .invalidChallenge),
            ("DELETE FROM identities WHERE method = 'google'", .methodNotLinked),
        ]
        for (sql, code) in changes {
            let person = try await GatedPerson()
            let identity = person.identity
            let challenge = try await person.begin(.password)
            let before = try await identity.audited("sign-in.succeeded")
            let handler = SecondProofsHandler(
                of: identity.service,
                tokens: InterruptedTokens { try await identity.change(sql) })
            let error = try await refusal {
                try await handler.completeChallenge(
                    .init(
                        challenge: challenge.challenge, device: IdentityFixture.device,
                        proof: .providerToken(.token("g1", nonce: "second"))),
                    identity.context())
            }
            #expect(error.code == code, "\(sql)")
            #expect(try await identity.audited("sign-in.succeeded") == before)
        }
    }
}
