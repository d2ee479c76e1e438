import Messages
import Synchronization
import Testing

/// Sessions by access token, as an app stores them.
final class KnownSessions: Sendable {
    private let state = Mutex<[String: GatewayV1.Session]>([:])

    func record(_ sessions: [GatewayV1.Session]) {
        state.withLock { state in
            for session in sessions { state[session.accessToken] = session }
        }
    }

    func session(of accessToken: String) throws -> GatewayV1.Session {
        try #require(state.withLock { $0[accessToken] })
    }
}
