import Contracts
import Messages
import PublicCalls
import RPC
import Testing

/// A method of the gateway, and its call in each `CallerState`: its first request in `PublicCalls`,
/// from a `SessionCaller`. What a method does with the session is its option. So a new one needs no
/// line here, unless it refuses more.
struct SessionRow: Sendable, CustomTestStringConvertible {
    let method: MethodDescription
    private let request: PublicCall.Messages

    var testDescription: String { method.rpcName }

    static let all: [SessionRow] = {
        var known: Set<MethodDescription> = []
        return PublicCalls.all.filter { known.insert($0.method).inserted }
            .map { SessionRow(method: $0.method, request: $0.messages) }
    }()

    /// The messages of the caller's call.
    func messages(_ caller: SessionCaller) async throws -> [[UInt8]] {
        let messages =
            if let own = Self.requests[method] {
                own
            } else {
                try await request(caller, caller.number)
            }
        return messages.map { $0.encoded() }
    }

    /// The error about the session that the call gets in a state; nil for none.
    func refusal(_ state: CallerState) -> String? {
        Self.refusals[method]?[state] ?? SessionRule.refusal(method.session, state)
    }

    /// Requests instead of those of `PublicCalls`.
    private static let requests: [MethodDescription: [any ProtobufMessage]] = [
        // Those have a refresh token, so that the access token is not read, or end all sessions,
        // which needs an access token that has not expired.
        AuthDescription.signOut: [GatewayV1.SignOutRequest()],
        // Those have megabytes, and debug builds take seconds for each.
        ProfileDescription.uploadPhoto: [
            GatewayV1.UploadPhotoRequest(part: .bytes(3)),
            GatewayV1.UploadPhotoRequest(part: .data([1, 2, 3])),
        ],
        GuestsDescription.uploadGuestBundle: Bound.bundle(Bound.documents(1, bytes: 100)),
    ]

    private static let signedIn = "auth/already-signed-in"

    /// The errors of methods where the rule of their option leaves them open.
    private static let refusals: [MethodDescription: [CallerState: String]] = [
        AuthDescription.signUpWithPassword: [.account: signedIn, .anothers: signedIn],
        GuestsDescription.signInAsGuest: [
            .guest: signedIn, .account: signedIn, .anothers: signedIn,
        ],
        AuthDescription.signOut: [
            .none: SessionRule.malformed, .garbled: "auth/invalid-access-token",
        ],
        // Without a link either. `FetchDataExport` has one that does not work.
        DataExportsDescription.getDataExport: [.none: "auth/invalid-access-token"],
    ]
}
