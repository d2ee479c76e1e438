import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService
@testable import PersonalData

@Suite("I-07: changes of documents are followed", .timeLimit(.minutes(1)))
struct WatchDocumentsTests {
    private typealias Stream = IncomingItems<GatewayV1.WatchDocumentsItem>.AsyncIterator

    /// The next item, as one line.
    private func next(_ stream: Stream) async throws -> String {
        let item = try #require(try await stream.next())
        let change =
            switch item.change {
            case .written(let document): "\(document.name) \(document.version) \(document.json)"
            case .removed(let document): "\(document.name) \(document.version) removed"
            case nil: "up to date"
            }
        return item.reset ? "reset, \(change)" : change
    }

    @Test("the current documents come first, then each change")
    func live() async throws {
        let fixture = try await DocumentFixture()
        _ = try await fixture.write(#"{"x":1}"#, to: "a")
        _ = try await fixture.write("{}", to: "gone")
        _ = try await fixture.remove("gone")
        let stream = fixture.watch()
        #expect(try await next(stream) == #"a 1 {"x":1}"#)
        #expect(try await next(stream) == "up to date")
        _ = try await fixture.write("{}", to: "b")
        #expect(try await next(stream) == "b 1 {}")
        _ = try await fixture.remove("b")
        #expect(try await next(stream) == "b 2 removed")
    }

    @Test("a stream resumes after a position, with removals")
    func resumed() async throws {
        let fixture = try await DocumentFixture()
        _ = try await fixture.write("{}", to: "a")
        _ = try await fixture.write("{}", to: "b")
        let position = try await fixture.list().position
        _ = try await fixture.remove("a")
        _ = try await fixture.write("{}", to: "c", in: "goals")
        let stream = fixture.watch(after: position)
        #expect(try await next(stream) == "a 2 removed")
        #expect(try await next(stream) == "c 1 {}")
        #expect(try await next(stream) == "up to date")
        let goals = fixture.watch(after: position, "goals")
        #expect(try await next(goals) == "c 1 {}")
        #expect(try await next(goals) == "up to date")
    }

    @Test("the position of each item can be resumed, also before all documents were sent")
    func positions() async throws {
        let fixture = try await DocumentFixture()
        for name in ["a", "b", "c"] { _ = try await fixture.write("{}", to: name) }
        let stream = fixture.watch()
        let first = try #require(try await stream.next())
        let again = fixture.watch(after: first.position)
        #expect(try await next(again) == "b 1 {}")
        #expect(try await next(again) == "c 1 {}")
        #expect(try await next(again) == "up to date")
    }

    @Test("an unknown position, or one from before a forgotten removal, leads to a reset")
    func reset() async throws {
        let fixture = try await DocumentFixture()
        _ = try await fixture.write("{}", to: "a")
        let position = try await fixture.list().position
        for unknown in [position + 1, 1] {
            let stream = fixture.watch(after: unknown)
            #expect(try await next(stream) == "reset, a 1 {}")
            #expect(try await next(stream) == "up to date")
        }
        _ = try await fixture.write("{}", to: "b")
        _ = try await fixture.remove("b")
        try await fixture.identity.change(
            "UPDATE document_totals SET oldest_position = position")
        let stream = fixture.watch(after: position)
        #expect(try await next(stream) == "reset, a 1 {}")
        #expect(try await next(stream) == "up to date")
        _ = try await fixture.remove("a")
        #expect(try await next(stream) == "a 2 removed")
        let empty = fixture.watch(after: 1)
        #expect(try await next(empty) == "reset, up to date")
    }

    @Test("a stream without changes has an item every 30 seconds")
    func idle() async throws {
        let fixture = try await DocumentFixture()
        let stream = fixture.watch()
        #expect(try await next(stream) == "up to date")
        await fixture.identity.time.sleepers()
        fixture.identity.time.advance(by: .seconds(30))
        #expect(try await next(stream) == "up to date")
    }

    @Test(
        "S-06: a stream sends nothing more when its session has ended, or its account is disabled")
    func ended() async throws {
        let fixture = try await DocumentFixture()
        let other = fixture.identity.devices.open(fixture.account)
        let stream = fixture.watch(token: other)
        #expect(try await next(stream) == "up to date")
        fixture.identity.devices.end(other)
        _ = try await fixture.write(#"{"secret":1}"#)
        #expect(try await refusal { try await next(stream) }.code == .sessionEnded)

        let suspended = fixture.watch()
        #expect(try await next(suspended) == #"main 1 {"secret":1}"#)
        #expect(try await next(suspended) == "up to date")
        try await fixture.identity.change("UPDATE accounts SET status = 2")
        fixture.handler.watchers.changed(try #require(AccountID(text: fixture.account)))
        #expect(try await refusal { try await next(suspended) }.code == .accountDisabled)
    }

    @Test("a stream ends when its access token expires")
    func expired() async throws {
        let fixture = try await DocumentFixture()
        let time = fixture.identity.time
        fixture.identity.devices.expire(fixture.token, at: time.now() + .seconds(10))
        let stream = fixture.watch()
        #expect(try await next(stream) == "up to date")
        await time.sleepers()
        time.advance(by: .seconds(10))
        #expect(try await refusal { try await next(stream) }.code == .invalidAccessToken)
    }

    @Test("an account has at most ten streams, and one that ends makes room")
    func bounded() async throws {
        let watchers = AccountWatchers()
        let account = try #require(AccountID(key: 1))
        func nest(_ depth: Int) async throws {
            try await watchers.watching(account) { _ in
                if depth > 1 { try await nest(depth - 1) }
            }
        }
        try await nest(AccountWatchers.perAccountMax)
        try await nest(AccountWatchers.perAccountMax)
        let error = try await refusal { try await nest(AccountWatchers.perAccountMax + 1) }
        #expect(error.code == .resourceExhausted)
    }
}
