import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

@Suite("G-13: an owner authenticates again by the password", .timeLimit(.minutes(1)))
struct ProveByPasswordTests {
    let fixture: IdentityFixture
    /// "acc_…"
    let account: String
    /// The access token.
    let token: String

    init() async throws {
        fixture = try IdentityFixture()
        (account, token) = try await fixture.member()
    }

    private func prove(
        _ proof: GatewayV1.ReauthenticateRequest.Proof? = .password("Correct7Horse"),
        in session: String?, key: String? = nil
    ) async throws -> IdentityV1.SignInProof {
        let answer = try await fixture.accounts.proveByPassword(
            .init(reauthentication: .init(device: IdentityFixture.device, proof: proof)),
            fixture.relayed(session, key))
        return try #require(answer.proof)
    }

    @Test("F-03: the proof is one of a re-authentication, and no sign-in has happened")
    func proves() async throws {
        let state = try await lastSignIn()
        fixture.time.advance(by: .seconds(60))
        let proof = try await prove(in: token)
        #expect(proof.accountId == account && proof.amr == ["pwd"])
        #expect(proof.purpose == .reauthentication && fixture.keys.proofs.isGenuine(proof))
        #expect(try await lastSignIn() == state)
    }

    private func lastSignIn() async throws -> Int64? {
        try await fixture.store.read { session in
            try session.queryOne("SELECT last_sign_in_at_ms FROM accounts") {
                try $0.optionalInteger(0)
            } ?? nil
        }
    }

    @Test("F-03: no second proof is asked for in the account's own session")
    func ownSession() async throws {
        let fixture = try IdentityFixture(gate: .with(SwitchedFactors()))
        let (account, token) = try await fixture.member()
        let answer = try await fixture.accounts.proveByPassword(
            .init(
                reauthentication: .init(
                    device: IdentityFixture.device, proof: .password("Correct7Horse"))),
            fixture.relayed(token))
        #expect(answer.proof?.accountId == account)
        #expect(try await fixture.count("sign_in_challenges") == 0)
    }

    @Test("a wrong password is refused and recorded")
    func wrong() async throws {
        let error = try await refusal { try await prove(.password("Wrong7Horse"), in: token) }
        #expect(error.code == .invalidCredential)
        #expect(try await fixture.audited("sign-in.failed", outcome: error.code.rawValue) == 1)
    }

    @Test("without a password in the account, none is right")
    func none() async throws {
        for token in ["g1", "g2"] {
            let email = token == "g1" ? "" : "g2@example.org"
            let other = try await fixture.account(by: .token(token, email: email)).accountId
            let session = fixture.devices.open(other)
            let error = try await refusal { try await prove(in: session) }
            #expect(error.code == .invalidCredential)
        }
    }

    @Test("the account is that of a live session, and of no other")
    func sessions() async throws {
        #expect(try await refusal { try await prove(in: nil) }.code == .invalidAccessToken)
        let eve = try await fixture.register("eve@example.org", password: "Evil7Password")
        let others = fixture.devices.open(try #require(eve.account).accountId)
        #expect(try await refusal { try await prove(in: others) }.code == .invalidCredential)
        fixture.devices.end(token)
        #expect(try await refusal { try await prove(in: token) }.code == .sessionEnded)
        for proof in [nil, .phoneCode(.init())] as [GatewayV1.ReauthenticateRequest.Proof?] {
            let error = try await refusal { try await prove(proof, in: others) }
            #expect(error == ServiceError(.invalidArgument, fields: ["password"]))
        }
    }

    @Test("G-25: a repeat writes nothing, and needs the password again")
    func repeats() async throws {
        let succeeded = try await fixture.audited("sign-in.succeeded")
        for _ in 0..<2 { _ = try await prove(in: token, key: "k") }
        #expect(try await fixture.audited("sign-in.succeeded") == succeeded + 1)
        let wrong = try await refusal {
            try await prove(.password("Wrong7Horse"), in: token, key: "k")
        }
        #expect(wrong.code == .invalidCredential)
        let another = fixture.devices.open(account)
        let reused = try await refusal { try await prove(in: another, key: "k") }
        #expect(reused.code == .idempotencyKeyReused)
    }
}
