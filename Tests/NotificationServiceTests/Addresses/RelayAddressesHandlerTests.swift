import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("Private relay addresses of providers")
struct RelayAddressesHandlerTests {
    private static let relay = "x7k2@privaterelay.appleid.com"

    @Test("G-05: a relay that is off gets no mail until it is on, whatever a mail server replied")
    func offAndOn() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        let handler = RelayAddressesHandler(store: fixture.store, keys: fixture.keys)
        let identity = fixture.context(application: "identity")
        let list = SuppressionList(store: fixture.store, keys: fixture.keys, time: fixture.time)
        let address = try #require(MailAddress(Self.relay))
        let hash = fixture.keys.recipient(address.canonical)
        for _ in 0..<2 {
            _ = try await handler.setRelay(.init(email: Self.relay, isOff: true), identity)
            #expect(try await list.contains(address))
        }
        try await fixture.store.writeUnchecked {
            try $0.suppressAddress(hash, reason: "smtp-550-5.1.1")
        }
        for _ in 0..<2 {
            _ = try await handler.setRelay(.init(email: Self.relay, isOff: false), identity)
            #expect(try await !list.contains(address))
        }
        await fixture.close()
    }

    @Test("only identity and the operator's tool may turn a relay address off")
    func callers() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        let handler = RelayAddressesHandler(store: fixture.store, keys: fixture.keys)
        for application in ["gateway", "session", "app", ""] {
            await #expect(throws: CallContext.onlyAccountKeepers) {
                try await handler.setRelay(
                    .init(email: Self.relay, isOff: true),
                    fixture.context(application: application))
            }
        }
        await #expect(throws: ServiceError(.invalidEmail, fields: ["email"])) {
            try await handler.setRelay(
                .init(email: "no address", isOff: true), fixture.context(application: "identity"))
        }
        await fixture.close()
    }
}
