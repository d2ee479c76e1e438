import Contracts
import Cryptography
import Messages
import PosternClient
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    @Suite("I-10: roles of an account reach every verifier", .timeLimit(.minutes(2)))
    struct Roles {
        /// Delivers claims as identity does, until session takes them.
        private func deliver(
            _ version: Int64, of account: AccountID, to identity: RPCClient
        ) async throws {
            let request = SessionV1.SetAccountClaimsRequest(
                accountId: account.text, version: version,
                claimsJson: #"{"version":\#(version)}"#, roles: ["v\(version)"])
            let isTaken = try await eventually {
                do {
                    _ = try await SessionsClient(identity).setAccountClaims(
                        request, identity.context(timeout: .seconds(2)))
                    return true
                } catch is ServiceError {
                    return false
                }
            }
            #expect(isTaken)
        }

        private func introspect(
            _ token: String, by gateway: RPCClient
        ) async throws -> GatewayV1.IntrospectTokenResponse {
            try await VerificationClient(gateway).introspectToken(
                .init(accessToken: token), gateway.context(timeout: .seconds(10)))
        }

        /// Waits until the gateway reaches session again.
        private func returned(_ token: String, by gateway: RPCClient) async throws {
            let isBack = try await eventually {
                do {
                    return try await introspect(token, by: gateway).active
                } catch is ServiceError {
                    return false
                }
            }
            #expect(isBack)
        }

        private func refreshed(
            _ tokens: GatewayV1.Session, by gateway: RPCClient, device: String = "d1"
        ) async throws -> GatewayV1.Session {
            let answer = try await AuthClient(gateway).refreshSession(
                .init(
                    refreshToken: tokens.refreshToken,
                    device: GatewayV1.Device(deviceId: device, platform: "cli")),
                gateway.context(timeout: .seconds(10)))
            return try #require(answer.session)
        }

        @Test("session killed between deliveries that come in the wrong order: the newest counts")
        func deliveries() async throws {
            try await Cluster.with { cluster in
                let maker = try SessionMaker(cluster)
                defer { maker.close() }
                let identity = try cluster.client(of: "session", as: "identity")
                defer { identity.close() }
                let verifier = SessionVerifier(
                    VerificationClient(maker.gateway), VerifierSettings(), time: SystemTime(),
                    randomness: SecureRandomness())
                let account = maker.newAccount()
                let opened = try await maker.open(of: account)
                for version in [2, 3, 1] as [Int64] {
                    try await deliver(version, of: account, to: identity)
                    try cluster.crash("session")
                }
                try await deliver(2, of: account, to: identity)
                try await returned(opened.accessToken, by: maker.gateway)
                let child = try await refreshed(opened, by: maker.gateway)
                guard case .good(let before) = await verifier.verify(opened.accessToken),
                    case .good(let after) = await verifier.verify(child.accessToken)
                else {
                    Issue.record("a token is not good")
                    return
                }
                #expect(before.roles == [] && before.customClaims == [:])
                #expect(after.roles == ["v3"] && after.customClaims == ["version": .integer(3)])
                let shown = try await introspect(child.accessToken, by: maker.gateway)
                #expect(shown.roles == ["v3"] && shown.claimsJson == #"{"version":3}"#)
            }
        }

        @Test("by HTTP: a role in the first token, a claim in the next refresh, none after the end")
        func story() async throws {
            try await Cluster.with(environment: AccountsBackend.settings) { cluster in
                let backend = try await AccountsBackend(cluster)
                let person = Person(1)
                let created = try await backend.call(
                    "CreateAccount",
                    [
                        "email": person.email, "emailVerified": true, "phoneNumber": nil,
                        "password": Person.password, "displayName": nil, "mailLanguage": nil,
                        "roles": ["editor"], "claimsJson": nil, "sendVerification": nil,
                    ])
                #expect(created.status == 200, "\(created.body)")
                let account = try created.read(Created.self).account.accountId
                let maker = try SessionMaker(cluster)
                defer { maker.close() }
                let verifier = SessionVerifier(
                    VerificationClient(maker.gateway), VerifierSettings(), time: SystemTime(),
                    randomness: SecureRandomness())
                let following = Task { await verifier.run() }
                defer { following.cancel() }
                #expect(try await eventually { verifier.freshness != nil })

                let first: SignedIn = try await cluster.signIn(person).read()
                #expect(await roles(of: first.session.accessToken, verifier) == ["editor"])
                let added = try await set(["editor"], #"{"plan":"pro"}"#, of: account, backend)
                #expect(added.status == 200, "\(added.body)")
                var tokens = GatewayV1.Session(refreshToken: first.session.refreshToken)
                #expect(
                    try await eventually {
                        tokens = try await refreshed(
                            tokens, by: maker.gateway, device: person.device)
                        guard case .good(let claims) = await verifier.verify(tokens.accessToken)
                        else { return false }
                        return claims.customClaims == ["plan": .string("pro")]
                    }, "a claim that was added is in a refresh")

                let ended = try await set(nil, nil, of: account, atOnce: true, backend)
                #expect(ended.status == 200, "\(ended.body)")
                let refused = try await eventually(within: .seconds(1)) {
                    let shown = try await introspect(tokens.accessToken, by: maker.gateway)
                    let taken = await roles(of: tokens.accessToken, verifier)
                    return !shown.active && taken == nil
                }
                #expect(refused, "within a second nobody takes the token with the role")
                let last: SignedIn = try await cluster.signIn(person).read()
                #expect(await roles(of: last.session.accessToken, verifier) == [])
            }
        }

        private struct Created: Decodable {
            let account: Account
        }

        private func set(
            _ roles: [String]?, _ claims: String?, of account: String, atOnce: Bool = false,
            _ backend: AccountsBackend
        ) async throws -> WebClient.Response {
            try await backend.call(
                "SetAccountClaims", of: account,
                [
                    "roles": roles, "claimsJson": claims, "baseVersion": nil,
                    "effect": atOnce ? "CLAIMS_EFFECT_AT_ONCE" : nil,
                ])
        }

        /// The roles in a token that the verifier takes; nil if it refuses it.
        private func roles(of token: String, _ verifier: SessionVerifier) async -> [String]? {
            if case .good(let claims) = await verifier.verify(token) { claims.roles } else { nil }
        }
    }
}
