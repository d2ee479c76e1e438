import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import PersonalData

@Suite("G-16: newer wins by the times of changes, not of migrations", .timeLimit(.minutes(1)))
struct MigrationTimesTests {
    private static let day = Duration.seconds(86_400)

    /// The documents of the account in the order of their positions.
    private func list(_ fixture: GuestDataFixture) async throws -> [GatewayV1.Document] {
        try await fixture.identity.service.data.documents.listDocuments(
            .init(withJson: true), fixture.identity.relayed(fixture.token)
        ).documents
    }

    @Test("bundles of two devices: the later change is kept, whichever is uploaded first")
    func bundles() async throws {
        let fixture = try await GuestDataFixture()
        let time = fixture.identity.time
        let monday = time.now()
        let tuesday = monday + Self.day
        time.advance(by: Self.day * 2)
        for (moment, json) in [
            (monday, #"{"of":"monday"}"#), (tuesday, #"{"of":"tuesday"}"#),
            (monday, #"{"of":"monday"}"#),
        ] {
            _ = try await fixture.upload([.make("a", json, at: moment.milliseconds)])
            try await fixture.handler.job.run()
            time.advance(by: Self.day)
        }
        let document = try #require(try await list(fixture).first)
        #expect(document.json == #"{"of":"tuesday"}"#)
        #expect(document.changedAtMs == tuesday.milliseconds && document.version == 2)
    }

    @Test("a bundle's document without a time is as new as its move, and replaces none")
    func unknownTime() async throws {
        let fixture = try await GuestDataFixture()
        let moved = fixture.identity.time.now()
        for json in [#"{"of":"first"}"#, #"{"of":"second"}"#] {
            _ = try await fixture.upload([.make("a", json, at: 0)])
            try await fixture.handler.job.run()
            fixture.identity.time.advance(by: Self.day)
        }
        let document = try #require(try await list(fixture).first)
        #expect(document.json == #"{"of":"first"}"#)
        #expect(document.changedAtMs == moved.milliseconds)
    }

    @Test("two guests: the later change is kept, whichever signs in first")
    func guests() async throws {
        let fixture = try await GuestDataFixture(.merge)
        let other = try await fixture.identity.guest()
        try await fixture.write(#"{"of":"monday"}"#, "a", by: fixture.ofGuest)
        fixture.identity.time.advance(by: Self.day)
        try await fixture.write(#"{"of":"tuesday"}"#, "a", by: other.token)
        for guest in [fixture.ofGuest, other.token] {
            fixture.identity.time.advance(by: Self.day)
            _ = try await fixture.signIn(guest: guest)
            try await fixture.handler.job.run()
        }
        #expect(try await fixture.documents(fixture.token) == ["settings/a": #"{"of":"tuesday"}"#])
    }

    @Test("followers get a moved document after those that were written before, whatever its time")
    func positions() async throws {
        let fixture = try await GuestDataFixture()
        let past = fixture.identity.time.now()
        fixture.identity.time.advance(by: Self.day)
        try await fixture.write("{}", "written", by: fixture.token)
        _ = try await fixture.upload([.make("moved", at: past.milliseconds)])
        try await fixture.handler.job.run()
        #expect(try await list(fixture).map(\.name) == ["written", "moved"])
    }
}
