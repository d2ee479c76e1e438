import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("S-07: the encoded response equals the message")
struct EncodedAnswerTests {
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture()
    }

    private func encoded(_ token: String) throws -> SessionV1.ValidateAccessTokenResponse {
        let request = SessionV1.ValidateAccessTokenRequest(accessToken: token)
        let answer = try fixture.service.sessions.validation.encoded(request)
        return try SessionV1.ValidateAccessTokenResponse(decoding: answer.bytes)
    }

    @Test("S-07: the bytes are equal for a valid, an expired and an invalid token")
    func same() async throws {
        let tokens = try await fixture.open()
        for _ in 1...2 {
            let answer = try encoded(tokens.accessToken)
            #expect(answer.valid && answer == fixture.validate(tokens.accessToken))
        }
        #expect(try encoded("a.b.c") == SessionV1.ValidateAccessTokenResponse())
        fixture.time.advance(
            by: Timestamp(milliseconds: tokens.accessExpiresAtMs) - fixture.time.now())
        #expect(try encoded(tokens.accessToken) == SessionV1.ValidateAccessTokenResponse())
    }

    @Test("S-07: an ended session's token is rejected at once, though it was just validated")
    func ended() async throws {
        let (one, two) = (try await fixture.open(), try await fixture.open())
        for tokens in [one, two] { #expect(try encoded(tokens.accessToken).valid) }
        _ = try await fixture.signOut(.accessToken(one.accessToken))
        for _ in 1...2 {
            #expect(try !encoded(one.accessToken).valid)
            #expect(try encoded(two.accessToken).valid)
        }
        _ = try await fixture.signOut(.accessToken(two.accessToken))
        #expect(try !encoded(two.accessToken).valid)
    }

    @Test("it is unavailable while the clock waits for the operator")
    func held() async throws {
        let tokens = try await fixture.open()
        fixture.time.restartAfterBoot(at: fixture.time.now() + .seconds(86_400 * 3_650))
        try await fixture.restart()
        #expect(throws: ServiceError.self) { try encoded(tokens.accessToken) }
    }

    @Test("the server's methods are those of the dispatcher")
    func methods() {
        let names = SessionsDispatcher.methods(of: fixture.service.sessions).handlers.map(
            \.method.name)
        #expect(fixture.service.sessions.methods.handlers.map(\.method.name) == names)
    }

    @Test("S-05: a use is recorded only if the last recorded one is a second ago")
    func recorded() async throws {
        let tokens = try await fixture.open()
        let activity = fixture.service.sessions.memory.activity
        #expect(try encoded(tokens.accessToken).valid)
        let first = activity.count
        #expect(first == 1)
        let moment = fixture.time.now()
        for (wait, expected) in [(999, moment), (1, moment + .milliseconds(1_000))] {
            fixture.time.advance(by: .milliseconds(wait))
            #expect(try encoded(tokens.accessToken).valid)
            activity.beginFlush()
            #expect(activity.flushing(upTo: 9).map(\.at) == [expected])
        }
    }
}
