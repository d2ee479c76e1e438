import Messages
import ServiceRuntime
import TestSupport
import Testing

@Suite("G-10: refresh", .timeLimit(.minutes(1)))
struct RefreshTests {
    let house: GatewayHouse
    let ada: SignedIn

    init() async throws {
        house = try await GatewayHouse()
        ada = try await house.signUp()
    }

    @Test("G-10: each use gives the next pair of the same session")
    func rotates() async throws {
        var session = ada.session
        for _ in 0..<5 {
            house.time.advance(by: .seconds(600))
            let child = try await house.refresh(session.refreshToken)
            #expect(child.sessionId == session.sessionId)
            #expect(child.refreshToken != session.refreshToken)
            #expect(child.accessToken != session.accessToken)
            #expect(try await house.check(child.accessToken).authenticated)
            session = child
        }
    }

    @Test("G-10: a replayed refresh token ends its family, and no other")
    func replay() async throws {
        let other = try await house.signIn()
        let child = try await house.refresh(ada.session.refreshToken)
        let replay = try await refusal { try await house.refresh(ada.session.refreshToken) }
        #expect(replay == ServiceError(.refreshTokenReplayed))
        for token in [ada.session.accessToken, child.accessToken] {
            let state = try await house.check(token)
            #expect(!state.authenticated)
            #expect(state.reason == .security)
        }
        let ended = try await refusal { try await house.refresh(child.refreshToken) }
        #expect(ended.code == .sessionEnded)
        #expect(try await house.check(other.session.accessToken).authenticated)
        _ = try await house.refresh(other.session.refreshToken)
    }

    @Test("G-10: of 20 parallel uses one has a child, and the family is over")
    func parallel() async throws {
        let children = await withTaskGroup(of: GatewayV1.Session?.self) { group in
            for _ in 0..<20 {
                group.addTask { try? await house.refresh(ada.session.refreshToken) }
            }
            return await group.reduce(into: []) { if let child = $1 { $0.append(child) } }
        }
        #expect(children.count == 1)
        #expect(try await house.check(ada.session.accessToken).reason == .security)
    }

    @Test("G-10: no other token stands in for a refresh token")
    func others() async throws {
        for token in ["", "x", ada.session.accessToken, ada.session.refreshToken + "A"] {
            let error = try await refusal { try await house.refresh(token) }
            #expect(error == ServiceError(.invalidRefreshToken))
        }
        _ = try await house.refresh(ada.session.refreshToken)
    }
}
