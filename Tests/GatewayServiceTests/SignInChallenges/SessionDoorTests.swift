import Contracts
import RPC
import ServiceRuntime
import Storage
import Synchronization
import TestSupport
import Testing

@testable import GatewayService
@testable import IdentityService
@testable import Messages

/// Every account has a second factor, once they are switched on.
private final class EveryAccount: SecondFactors {
    private let isOn = Mutex(false)

    func turnOn() { isOn.withLock { $0 = true } }

    func hasSecondFactor(_ account: AccountID, in session: some SQLSession) throws -> Bool {
        isOn.withLock { $0 }
    }
}

/// Attack: the second factor is asked for after passwords, and forgotten for another way to sign in. A
/// new method whose answer has a session needs a row here.
@Suite("F-03: no call opens a session past the second factor", .timeLimit(.minutes(1)))
struct SessionDoorTests {
    typealias Call = @Sendable (ProviderFixture) async throws -> Void

    /// Sign-ins to Ada's account, whose address is verified.
    private static let judged: [String: Call] = [
        "Auth/SignInWithPassword": { _ = try await $0.gateway.signIn() },
        "Passwords/ResetPassword": { fixture in
            let gateway = fixture.gateway
            _ = try await gateway.passwords.requestPasswordReset(
                .init(email: "ada@example.org"), gateway.context())
            let token = try await gateway.inner.linkToken(page: "reset-password")
            _ = try await gateway.passwords.resetPassword(
                .init(
                    token: token, password: .init(text: "Owners9Password"),
                    device: GatewayFixture.device("d1")), gateway.context())
        },
        "PhoneSignIn/SignInWithPhoneCode": { fixture in
            let sent = try await fixture.gateway.sentCode()
            _ = try await fixture.gateway.signInByCode(sent.request, sent.code)
        },
        "Providers/SignInWithProvider": { fixture in
            _ = try await fixture.signIn(by: try await fixture.googleToken(of: "1"))
        },
        "Providers/SignInWithProvider, by the address": { fixture in
            _ = try await fixture.signIn(
                by: try await fixture.appleToken(of: "2", email: "ada@example.org"))
        },
    ]

    /// The other methods whose answer has a session, and why one proof is enough.
    private static let others = [
        "Auth/SignUpWithPassword": "the account comes to be, or had no way to sign in",
        "Guests/SignInAsGuest": "a guest has no way to sign in",
        "Auth/RefreshSession": "the session exists",
        "SignInChallenges/CompleteSignIn": "it is the second proof",
        "Passkeys/SignInWithPasskey": "a passkey is both proofs",
    ]

    /// The methods whose answer has a token of a session that exists, and what they need.
    private static let renewals = [
        "AccountSessions/Reauthenticate": "a proof, which does not open another one",
        "SecondFactors/ConfirmTOTP": "a recent proof, and the code of the new app",
    ]

    /// Whether a message, or one in it, has a field that is wanted.
    private static func has(
        _ type: MessageType, in schema: Schema, _ isWanted: (FieldType) -> Bool
    ) -> Bool {
        type.fields.contains { field in
            if isWanted(field) { return true }
            guard case .message(let name) = field.kind, let inner = schema.messages[name] else {
                return false
            }
            return has(inner, in: schema, isWanted)
        }
    }

    private static func isSession(_ field: FieldType) -> Bool {
        if case .message("postern.gateway.v1.Session") = field.kind { true } else { false }
    }

    /// The gateway's methods whose answer has a field that is wanted, at any depth.
    private static func methods(answering isWanted: (FieldType) -> Bool) throws -> Set<String> {
        var methods: Set<String> = []
        for service in ServiceDescription.ofGateway {
            let schema = try Schema(fileDescriptorSet: service.fileDescriptorSet)
            for method in service.methods {
                let known: SchemaMethod = try #require(schema.method(named: method.name))
                guard has(known.output.type, in: schema, isWanted) else { continue }
                methods.insert(String(method.name.dropFirst("postern.gateway.v1.".count)))
            }
        }
        return methods
    }

    @Test("each method whose answer has a session is in one of the tables")
    func complete() throws {
        let rows = Self.judged.keys.map { String($0.prefix { $0 != "," }) } + Self.others.keys
        #expect(try Self.methods(answering: Self.isSession) == Set(rows))
    }

    @Test("each other method whose answer has an access or refresh token is in the third table")
    func tokens() throws {
        let names: Set = ["access_token", "refresh_token"]
        let methods = try Self.methods { names.contains($0.name) }
        let ofSessions = try Self.methods(answering: Self.isSession)
        #expect(methods.subtracting(ofSessions) == Set(Self.renewals.keys))
        #expect(ofSessions.isSubset(of: methods))
    }

    @Test("a sign-in to an account with a second factor waits", arguments: judged.keys.sorted())
    func waits(name: String) async throws {
        let call = try #require(Self.judged[name])
        let factors = EveryAccount()
        let gate = SignInGate(demands: SignInGate.standard.demands, factors: factors)
        try await ProviderFixture.with(gate: gate) { fixture in
            let gateway = fixture.gateway
            let ada = try await fixture.provedAccount()
            let token = ada.session.accessToken
            _ = try await fixture.link(
                try await fixture.googleToken(of: "1"), to: ada.session)
            let sent = try await gateway.sentCode(
                GatewayFixture.number, .link, accessToken: token)
            _ = try await gateway.phone.linkPhone(
                .init(
                    requestId: sent.request, phoneNumber: GatewayFixture.number, code: sent.code),
                gateway.context().bearing(token))
            gateway.time.advance(by: .seconds(61))
            factors.turnOn()
            let before = try await gateway.inner.count(gateway.inner.sessionStore, "session")
            let error = try await refusal { try await call(fixture) }
            #expect(error.code == .secondProofRequired)
            let after = try await gateway.inner.count(gateway.inner.sessionStore, "session")
            #expect(after == before)
        }
    }
}
