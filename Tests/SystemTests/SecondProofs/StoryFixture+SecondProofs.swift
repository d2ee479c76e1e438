import Contracts
import Cryptography
import Foundation
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

/// A person in an app, who has set an authenticator app up there.
struct ProtectedPerson: Sendable {
    /// Its access token is the one of the set-up.
    let signedIn: SignedInApp
    let app: OwnersApp
    let recoveryCodes: [String]
}

extension StoryFixture {
    /// Limits for many calls about one account. Each first proof is charged until its sign-in is
    /// complete.
    static let generousLimits = """
        failed-sign-in-by-device:
          shadow: true
        failed-sign-in-by-account:
          shadow: true
        failed-sign-in-by-known-device:
          shadow: true
        totp-guess:
          shadow: true
        totp-guess-by-known-device:
          shadow: true
        second-proof-by-address:
          shadow: true

        """

    /// Sets an authenticator app up in a session.
    /// - Parameter name: of the app.
    func protect(_ signedIn: SignedInApp, name: String = "phone") async throws -> ProtectedPerson {
        let begun = try await backend.factors.beginTOTP(.init(), signedIn.context())
        let app = try OwnersApp(secret: begun.secret)
        let answer = try await backend.factors.confirmTOTP(
            .init(
                enrollmentToken: begun.enrollmentToken, code: try await app.code(), name: name,
                device: signedIn.person.gatewayDevice), signedIn.context())
        var session = signedIn.session
        session?.accessToken = answer.accessToken
        return ProtectedPerson(
            signedIn: SignedInApp(self, signedIn.person, session), app: app,
            recoveryCodes: answer.recoveryCodes)
    }

    /// The challenge of a sign-in that waits for a second proof.
    func challenge<Value>(
        _ signIn: () async throws -> Value, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ServiceError.SecondProof {
        let error = try await refusal(signIn, sourceLocation: sourceLocation)
        #expect(error.code == .secondProofRequired, sourceLocation: sourceLocation)
        return try #require(error.secondProof, sourceLocation: sourceLocation)
    }

    /// Answers a challenge.
    func complete(
        _ challenge: ServiceError.SecondProof, _ proof: GatewayV1.CompleteSignInRequest.Proof,
        of person: Person, accessToken: String? = nil, key: String? = nil
    ) async throws -> GatewayV1.CompleteSignInResponse {
        try await backend.challenges.completeSignIn(
            .init(
                challenge: challenge.challenge, device: person.gatewayDevice, proof: proof),
            backend.context(person, key: key).bearing(accessToken))
    }

    /// The live sessions of an account, in one of them.
    func sessions(
        _ session: GatewayV1.Session?, of person: Person
    ) async throws -> [GatewayV1.SessionEntry] {
        try await backend.sessions.listSessions(
            .init(), backend.context(person).bearing(session?.accessToken)
        ).sessions
    }

    /// The second factors of an account, in one of its sessions.
    func secondFactors(
        _ session: GatewayV1.Session?, of person: Person
    ) async throws -> [GatewayV1.SecondFactor] {
        try await backend.factors.listSecondFactors(
            .init(), backend.context(person).bearing(session?.accessToken)
        ).factors
    }

    /// What an operator sees of an account: its methods, factors, sessions and last sign-in.
    func lookUp(_ person: Person) async throws -> String {
        let shown = try await cluster.tool(["accounts", "look-up", person.email])
        guard shown.exitCode == 0 else { throw ClusterError(message: "look-up: \(shown.errors)") }
        return shown.output
    }

    /// The entries of one kind in the audit trail of an account.
    func trail(_ kind: String, of person: Person) async throws -> Int {
        let trail = try await cluster.tool([
            "audit", "list", "--account", person.email, "--kind", kind, "-o", "json",
        ])
        return trail.output.components(separatedBy: kind).count - 1
    }
}
