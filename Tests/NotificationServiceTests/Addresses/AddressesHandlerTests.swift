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
        let bench = try NotificationFixture(in: TemporaryFolder())
        let handler = AddressesHandler(store: bench.store, keys: bench.keys, time: bench.time)
        let hash = bench.keys.recipient(Array("ada@example.org".utf8))
        try await bench.store.write { try $0.suppressAddress(hash, reason: "smtp-550-5.1.1") }
        let shown = try await handler.showAddress(.init(email: "ada@example.org"), context(bench))
        #expect(shown.isStopped)
        #expect(shown.reason == "smtp-550-5.1.1")
        #expect(shown.untilMs - shown.stoppedAtMs == 90 * 86_400_000)
        let request = NotificationV1.ReleaseAddressRequest(email: "Ada@EXAMPLE.org")
        #expect(try await handler.releaseAddress(request, context(bench)).wasStopped)
        #expect(try await !handler.releaseAddress(request, context(bench)).wasStopped)
        let after = try await handler.showAddress(.init(email: "ada@example.org"), context(bench))
        #expect(!after.isStopped)
    }

    @Test("only the operator's tool may call these rpcs; an invalid address is rejected")
    func refused() async throws {
        let bench = try NotificationFixture(in: TemporaryFolder())
        let handler = AddressesHandler(store: bench.store, keys: bench.keys, time: bench.time)
        for application in ["identity", "gateway", "app"] {
            await #expect(throws: ServiceError.self) {
                try await handler.showAddress(
                    .init(email: "ada@example.org"), context(bench, application))
            }
            await #expect(throws: ServiceError.self) {
                try await handler.releaseAddress(
                    .init(email: "ada@example.org"), context(bench, application))
            }
        }
        await #expect(throws: ServiceError.self) {
            try await handler.showAddress(.init(email: "ada"), context(bench))
        }
    }

    private func context(_ bench: NotificationFixture, _ application: String = "tool")
        -> CallContext
    {
        CallContext(
            application: application, deadline: bench.time.uptime() + .seconds(10),
            metadata: Metadata())
    }
}
