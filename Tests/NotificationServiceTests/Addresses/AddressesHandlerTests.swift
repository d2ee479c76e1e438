import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("The operator's rpcs on suppressed addresses")
struct AddressesHandlerTests {
    @Test("N-03: a suppressed address is shown with its reason, and can be released once")
    func release() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        let handler = AddressesHandler(store: fixture.store, keys: fixture.keys, time: fixture.time)
        let hash = fixture.keys.recipient(Array("ada@example.org".utf8))
        try await fixture.store.writeUnchecked {
            try $0.suppressAddress(hash, reason: "smtp-550-5.1.1")
        }
        let shown = try await handler.showAddress(.init(email: "ada@example.org"), context(fixture))
        #expect(shown.isStopped)
        #expect(shown.reason == "smtp-550-5.1.1")
        #expect(shown.untilMs - shown.stoppedAtMs == 90 * 86_400_000)
        let request = NotificationV1.ReleaseAddressRequest(email: "Ada@EXAMPLE.org")
        #expect(try await handler.releaseAddress(request, context(fixture)).wasStopped)
        #expect(try await !handler.releaseAddress(request, context(fixture)).wasStopped)
        let after = try await handler.showAddress(.init(email: "ada@example.org"), context(fixture))
        #expect(!after.isStopped)
    }

    @Test("only the operator's tool may call these rpcs; an invalid address is rejected")
    func refused() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        let handler = AddressesHandler(store: fixture.store, keys: fixture.keys, time: fixture.time)
        for application in ["identity", "gateway", "app"] {
            await #expect(throws: ServiceError.self) {
                try await handler.showAddress(
                    .init(email: "ada@example.org"), context(fixture, application))
            }
            await #expect(throws: ServiceError.self) {
                try await handler.releaseAddress(
                    .init(email: "ada@example.org"), context(fixture, application))
            }
        }
        await #expect(throws: ServiceError.self) {
            try await handler.showAddress(.init(email: "ada"), context(fixture))
        }
    }

    private func context(_ fixture: NotificationFixture, _ application: String = "tool")
        -> CallContext
    {
        CallContext(
            application: application, deadline: fixture.time.uptime() + .seconds(10),
            metadata: Metadata())
    }
}
