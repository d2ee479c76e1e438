import Contracts
import Messages
import Places
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import GatewayService

@Suite("A-01: where and with what a call is made is the gateway's word", .timeLimit(.minutes(1)))
struct CallOriginsTests {
    private static func origins() -> CallOrigins {
        let places = Places(file: KnownOrigin.placeFile)
        #expect(places.mistake == nil)
        return CallOrigins(places: places)
    }

    /// The context of a call by an application, with metadata of its own.
    private func context(_ said: [String: String], mayAssert: Bool = true) -> CallContext {
        var metadata = Metadata()
        for (key, value) in said { metadata[key] = value }
        return CallContext(
            application: "app", deadline: .seconds(10), metadata: metadata,
            mayAssertClientAddress: mayAssert)
    }

    @Test("a call of an application that may assert addresses has its person's place and agent")
    func known() throws {
        var call = context([
            Metadata.Key.clientAddress: KnownOrigin.address,
            Metadata.Key.clientAgent: KnownOrigin.userAgent,
        ])
        Self.origins().prepare(&call)
        let onward = try call.onward(for: AuthDescription.signInWithPassword)
        #expect(onward.metadata.place?.shown == "Berlin, DE")
        #expect(onward.metadata.agent == KnownOrigin.agent)
        #expect(onward.metadata[Metadata.Key.clientAgent] == nil)
    }

    /// Attack: an application, or the page of an app, says where its person is.
    @Test("what a caller says under these keys counts for nothing")
    func lying() throws {
        let said = [
            Metadata.Key.place: "JP;;;Canary", Metadata.Key.agent: "canary 1, canary",
            Metadata.Key.clientAddress: KnownOrigin.address,
            Metadata.Key.clientAgent: KnownOrigin.userAgent,
        ]
        var call = context(said, mayAssert: false)
        Self.origins().prepare(&call)
        let none = try call.onward(for: AuthDescription.signInWithPassword).metadata
        #expect(none.place == nil && none.agent == nil)
        call = context(said)
        Self.origins().prepare(&call)
        let known = try call.onward(for: AuthDescription.signInWithPassword).metadata
        #expect(known.place?.country == "DE" && known.agent == KnownOrigin.agent)
        call = context(said)
        CallOrigins(places: Places(file: nil)).prepare(&call)
        let noFile = try call.onward(for: AuthDescription.signInWithPassword).metadata
        #expect(noFile.place == nil && noFile.agent == KnownOrigin.agent)
    }

    @Test("relayed and composed calls have it alike, through the gateway's own methods")
    func served() async throws {
        let fixture = try await GatewayFixture(flags: [KnownOrigin.flag])
        let channel = InProcessChannel(fixture.serviceMethods, as: "app")
        func context(_ token: String? = nil) -> CallContext {
            var context = fixture.context("k\(fixture.time.now().milliseconds)")
            context.metadata[Metadata.Key.clientAddress] = KnownOrigin.address
            context.metadata[Metadata.Key.clientAgent] = KnownOrigin.userAgent
            context.metadata[Metadata.Key.place] = "JP;;;Canary"
            context.metadata[Metadata.Key.agent] = "canary 1, canary"
            return context.bearing(token)
        }
        let signedUp = try await AuthClient(channel).signUpWithPassword(
            .init(
                email: "ada@example.org", password: .init(text: "Correct7Horse"),
                device: GatewayFixture.device("d1"), displayName: "Ada"), context())
        let token = try #require(signedUp.session).accessToken
        let sessions = try await AccountSessionsClient(channel).listSessions(
            .init(), context(token)
        ).sessions
        #expect(sessions.map(\.place) == ["Berlin, DE"])
        #expect(sessions.map(\.agent) == [KnownOrigin.agent])
        fixture.time.advance(by: .seconds(1))
        _ = try await AuthClient(channel).signOut(.init(), context(token))
        for (store, kind) in [
            (fixture.inner.identityStore, "account.registered"),
            (fixture.inner.sessionStore, "session.started"),
            (fixture.inner.sessionStore, "session.ended"),
        ] {
            let wanted = "kind = '\(kind)' AND country = 'DE' AND agent = '\(KnownOrigin.agent)'"
            #expect(try await fixture.inner.count(store, "audit", where: wanted) == 1, "\(kind)")
        }
        for store in [fixture.inner.identityStore, fixture.inner.sessionStore] {
            let canary = "agent LIKE '%canary%' OR country = 'JP' OR detail LIKE '%canary%'"
            #expect(try await fixture.inner.count(store, "audit", where: canary) == 0)
        }
    }
}
