import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("G-10: refresh tokens rotate, and replays are detected")
struct RefreshSessionTests {
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture()
    }

    @Test("G-10: each refresh returns a new refresh token and a valid access token")
    func rotates() async throws {
        var tokens = try await fixture.open()
        var seen: Set<String> = [tokens.refreshToken]
        for _ in 1...5 {
            fixture.time.advance(by: .seconds(60))
            let next = try await fixture.refresh(tokens.refreshToken)
            #expect(seen.insert(next.refreshToken).inserted)
            #expect(next.sessionId == tokens.sessionId)
            #expect(fixture.validate(next.accessToken).valid)
            tokens = next
        }
        #expect(try await fixture.audited(.sessionRefreshed) == 5)
    }

    @Test("G-10: a replayed refresh token ends its session and its access tokens")
    func replay() async throws {
        let first = try await fixture.open()
        let second = try await fixture.refresh(first.refreshToken)
        let other = try await fixture.open()
        fixture.time.advance(by: .seconds(30))
        await expectRefused(.refreshTokenReplayed) {
            try await fixture.refresh(first.refreshToken)
        }
        #expect(!fixture.validate(first.accessToken).valid)
        #expect(!fixture.validate(second.accessToken).valid)
        await expectRefused(.sessionEnded) { try await fixture.refresh(second.refreshToken) }
        let state = try await fixture.inspect(second.accessToken)
        #expect(state.known && !state.live && state.endReason == .replayed)
        #expect(try await fixture.audited(.refreshTokenReplayed) == 1)
        #expect(fixture.validate(other.accessToken).valid, "another family of the account stays")
    }

    @Test("G-10: refreshes in a row are recorded 60 times a minute; none is refused")
    func rapid() async throws {
        var leaf = try await fixture.open()
        for _ in 0..<100 { leaf = try await fixture.refresh(leaf.refreshToken) }
        #expect(try await fixture.audited(.sessionRefreshed) == 60)
        fixture.time.advance(by: .seconds(60))
        _ = try await fixture.refresh(leaf.refreshToken)
        #expect(try await fixture.audited(.sessionRefreshed) == 61)
    }

    @Test("G-10: a thief who uses up the records of a minute hides no replay")
    func rapidReplay() async throws {
        let first = try await fixture.open()
        var leaf = first
        for _ in 0..<60 { leaf = try await fixture.refresh(leaf.refreshToken) }
        await expectRefused(.refreshTokenReplayed) {
            try await fixture.refresh(first.refreshToken)
        }
        await expectRefused(.sessionEnded) { try await fixture.refresh(leaf.refreshToken) }
    }

    @Test("G-10: a lost response is given again also after many refreshes, without a record")
    func rapidRetry() async throws {
        var parent = try await fixture.open()
        var leaf = parent
        for _ in 0..<60 {
            parent = leaf
            leaf = try await fixture.refresh(leaf.refreshToken)
        }
        for _ in 0..<3 {
            #expect(
                try await fixture.refresh(parent.refreshToken).refreshToken == leaf.refreshToken)
        }
        #expect(try await fixture.audited(.refreshRepeated) == 0)
    }

    @Test("G-10: a token from many rotations ago is a replay too")
    func oldReplay() async throws {
        let first = try await fixture.open()
        var leaf = first
        for _ in 1...10 { leaf = try await fixture.refresh(leaf.refreshToken) }
        await expectRefused(.refreshTokenReplayed) {
            try await fixture.refresh(first.refreshToken)
        }
        await expectRefused(.sessionEnded) { try await fixture.refresh(leaf.refreshToken) }
    }

    @Test("G-10: within the grace a retry returns the same child, to the exact boundary")
    func grace() async throws {
        let first = try await fixture.open()
        let child = try await fixture.refresh(first.refreshToken)
        fixture.time.advance(by: .milliseconds(29_999))
        let again = try await fixture.refresh(first.refreshToken)
        #expect(again.refreshToken == child.refreshToken)
        #expect(again.sessionId == child.sessionId)
        #expect(fixture.validate(child.accessToken).valid)
        let other = try await fixture.open()
        _ = try await fixture.refresh(other.refreshToken)
        fixture.time.advance(by: .seconds(30))
        await expectRefused(.refreshTokenReplayed) {
            try await fixture.refresh(other.refreshToken)
        }
    }

    @Test("G-10: a retry's access token counts from the first response")
    func noMoreAccess() async throws {
        let first = try await fixture.open()
        let child = try await fixture.refresh(first.refreshToken)
        fixture.time.advance(by: .seconds(29))
        let again = try await fixture.refresh(first.refreshToken)
        // Token lives differ by the jitter of 5 % in either direction.
        #expect(abs(again.accessExpiresAtMs - child.accessExpiresAtMs) <= 61_000)
        #expect(again.idleExpiresAtMs == child.idleExpiresAtMs)
    }

    @Test("G-10: 50 parallel uses of one token return the same child, which is valid")
    func parallel() async throws {
        let tokens = try await fixture.open()
        let (service, context) = (fixture.service, fixture.context())
        let request = GatewayV1.RefreshSessionRequest(refreshToken: tokens.refreshToken)
        let children = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await service.sessions.refreshSession(request, context).session?
                        .refreshToken
                        ?? ""
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(children.count == 1)
        #expect(try await fixture.audited(.sessionRefreshed) == 1)
        #expect(try await fixture.audited(.refreshRepeated) == 49)
        _ = try await fixture.refresh(try #require(children.first))
    }

    @Test("G-25: 50 parallel repeats of one call return the same child, which is valid")
    func parallelRepeats() async throws {
        let tokens = try await fixture.open()
        let (service, context) = (fixture.service, fixture.context("k"))
        let request = GatewayV1.RefreshSessionRequest(refreshToken: tokens.refreshToken)
        let children = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await service.sessions.refreshSession(request, context).session?
                        .refreshToken
                        ?? ""
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(children.count == 1)
        _ = try await fixture.refresh(try #require(children.first))
        #expect(try await fixture.audited(.sessionRefreshed) == 2)
    }

    @Test("G-25: a repeated refresh returns the same child; another token under its key fails")
    func repeated() async throws {
        let first = try await fixture.open()
        let child = try await fixture.refresh(first.refreshToken, key: "k1")
        let again = try await fixture.refresh(first.refreshToken, key: "k1")
        #expect(again.refreshToken == child.refreshToken)
        #expect(fixture.validate(again.accessToken).valid)
        await expectRefused(.idempotencyKeyReused) {
            try await fixture.refresh(child.refreshToken, key: "k1")
        }
        _ = try await fixture.refresh(child.refreshToken, key: "k2")
    }

    @Test("G-10: a replay ends its session under another request's idempotency key too")
    func replayUnderAKey() async throws {
        let first = try await fixture.open()
        let child = try await fixture.refresh(first.refreshToken, key: "k1")
        let leaf = try await fixture.refresh(child.refreshToken, key: "k2")
        await expectRefused(.refreshTokenReplayed) {
            try await fixture.refresh(first.refreshToken, key: "k2")
        }
        #expect(!fixture.validate(leaf.accessToken).valid)
        #expect(try await fixture.inspect(leaf.accessToken).endReason == .replayed)
    }

    @Test("G-25: a late repeat gives no access beyond the first response")
    func lateRepeat() async throws {
        let first = try await fixture.open()
        let child = try await fixture.refresh(first.refreshToken, key: "k1")
        _ = try await fixture.refresh(child.refreshToken)
        fixture.time.advance(by: .seconds(3_600))
        let again = try await fixture.refresh(first.refreshToken, key: "k1")
        #expect(again.refreshToken == child.refreshToken)
        #expect(!fixture.validate(again.accessToken).valid)
        await expectRefused(.refreshTokenReplayed) {
            try await fixture.refresh(again.refreshToken)
        }
        await expectRefused(.sessionEnded) {
            try await fixture.refresh(first.refreshToken, key: "k1")
        }
    }

    @Test("G-25: an idempotency key has 1 to 255 bytes")
    func keyLengths() async throws {
        let tokens = try await fixture.open()
        await expectRefused(.invalidArgument) {
            try await fixture.refresh(tokens.refreshToken, key: "")
        }
        await expectRefused(.invalidArgument) {
            try await fixture.refresh(
                tokens.refreshToken, key: String(repeating: "k", count: 256))
        }
        _ = try await fixture.refresh(
            tokens.refreshToken, key: String(repeating: "k", count: 255))
    }

    @Test("only a refresh token is accepted as a refresh token")
    func otherTokens() async throws {
        let tokens = try await fixture.open()
        for token in ["", tokens.accessToken, tokens.sessionId, tokens.refreshToken + "A"] {
            await expectRefused(.invalidRefreshToken) { try await fixture.refresh(token) }
        }
        _ = try await fixture.refresh(tokens.refreshToken)
    }

    @Test("a token newer than the counter of a restored store ends nothing")
    func restoredStore() async throws {
        let tokens = try await fixture.open()
        let child = try await fixture.refresh(tokens.refreshToken)
        try await fixture.store.writeUnchecked { transaction in
            _ = try transaction.execute("UPDATE session SET counter = 1")
        }
        await expectRefused(.invalidRefreshToken) {
            try await fixture.refresh(child.refreshToken)
        }
        #expect(fixture.validate(child.accessToken).valid)
    }

    @Test("acknowledged refreshes survive a restart")
    func restart() async throws {
        let first = try await fixture.open()
        let second = try await fixture.refresh(first.refreshToken, key: "k")
        try await fixture.restart()
        #expect(fixture.validate(second.accessToken).valid)
        let again = try await fixture.refresh(first.refreshToken, key: "k")
        #expect(again.refreshToken == second.refreshToken)
        let third = try await fixture.refresh(second.refreshToken)
        #expect(fixture.validate(third.accessToken).valid)
        await expectRefused(.refreshTokenReplayed) {
            try await fixture.refresh(first.refreshToken)
        }
        try await fixture.restart()
        #expect(!fixture.validate(second.accessToken).valid)
        await expectRefused(.sessionEnded) { try await fixture.refresh(second.refreshToken) }
    }
}
