import Messages
import RPC
import ServiceRuntime
import TestSupport

@testable import GatewayService

/// The session in whose name a row's call is made.
enum CallerState: String, CaseIterable, Sendable {
    case none
    case guest
    /// The account that the row's request is about.
    case account
    /// A live session whose access token has expired.
    case expired
    case ended
    /// Another account's live session.
    case anothers
    case garbled
    /// Two entries of metadata.
    case two
}

/// The access tokens of all states.
struct CallerTokens: Sendable {
    let tokens: [CallerState: String]

    /// Signs up the people of all states, each from an address of their own.
    init(_ fixture: ProviderFixture) async throws {
        let gateway = fixture.gateway
        func signUp(_ name: String, _ number: Int) async throws -> GatewayV1.Session {
            try await gateway.signUp(
                "\(name)@example.org", in: gateway.context(address: "192.0.2.\(number)")
            ).session
        }
        let bea = try await signUp("bea", 11)
        gateway.time.advance(by: .seconds(15 * 60))
        let carl = try await signUp("carl", 12)
        _ = try await gateway.signOut(.accessToken(carl.accessToken))
        let guest = try await fixture.guest(in: gateway.context(address: "192.0.2.13"))
        tokens = [
            .guest: guest.session?.accessToken ?? "",
            .account: try await signUp("ada", 14).accessToken, .expired: bea.accessToken,
            .ended: carl.accessToken, .anothers: try await signUp("eve", 15).accessToken,
            .garbled: "a.b.c",
        ]
    }

    /// The context of a call in a state, with an idempotency key and an address of its own.
    func context(_ state: CallerState, _ gateway: GatewayFixture) -> CallContext {
        let number = CallerState.allCases.firstIndex(of: state) ?? 0
        let context = gateway.context(state.rawValue, address: "198.51.100.\(number)")
        guard state == .two else { return context.bearing(tokens[state]) }
        let entry = Metadata.Entry(
            key: Metadata.Key.authorization, value: Array("Bearer \(tokens[.account] ?? "")".utf8))
        return CallContext(
            application: context.application, deadline: context.deadline,
            metadata: Metadata(context.metadata.entries + [entry, entry]),
            mayAssertClientAddress: true)
    }
}

/// What a method does with the session, by its option `postern.options.v1.session`.
enum SessionRule {
    /// The errors that are about the session.
    static let codes: Set<String> = [
        "auth/invalid-access-token", "auth/session-ended", "auth/already-signed-in", malformed,
    ]
    /// `rpc/invalid-argument`, for the metadata.
    static let malformed = "authorization"

    /// The error about the session that a call in this state gets; nil for none of them.
    static func refusal(_ rule: MethodDescription.Session, _ state: CallerState) -> String? {
        switch (rule, state) {
        case (.none, _), (.anyAge, .none), (.anyAge, .garbled), (.optional, .none): nil
        case (_, .two): malformed
        case (.anyAge, _), (_, .guest), (_, .account), (_, .anothers): nil
        case (_, .expired), (.required, .none), (.required, .garbled): "auth/invalid-access-token"
        case (_, .ended), (.optional, .garbled): "auth/session-ended"
        }
    }
}
