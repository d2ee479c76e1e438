import Glibc
import Messages
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    @Suite("Stopping under load")
    struct StoppingUnderLoad {
        /// 20 visitors, each calling every 100 ms: 200 calls/s.
        private static let visitors = 20
        private static let pause = Duration.milliseconds(100)
        private static let timeout = Duration.seconds(5)

        @Test("Crash: SIGTERM at 200 calls/s: no acknowledged call fails, all end within 10 s")
        func stop() async throws {
            let folder = try TemporaryFolder()
            var visitors: [Visitor] = []
            try await Cluster.with(folder) { cluster in
                let backend = try LoadBackend(cluster)
                visitors = try await Visitor.signUp(1..<Self.visitors + 1, backend)
                let records = CallRecords()
                let load = VisitorLoad(
                    visitors: visitors, backend: backend, records: records, pause: Self.pause,
                    timeout: Self.timeout, endsAtFailure: true)
                async let ran: Void = load.run(for: .seconds(20))
                try await Task.sleep(for: .seconds(3))
                let signalled = ContinuousClock().now
                #expect(await cluster.stop(by: SIGTERM) == 0)
                #expect(signalled.duration(to: ContinuousClock().now) < Cluster.stoppedWithin)
                await ran
                check(records.all, signalled)
                backend.close()
            }
            try await Cluster.with(folder) { cluster async throws in
                try await expectAllHold(visitors, LoadBackend(cluster))
            }
        }

        /// Calls that began well before the signal get a response. A request that the gateway has
        /// not read by then is refused, as a later one is. The next start shows that it was not
        /// executed: otherwise the retry of its refresh token would be a replay.
        private func check(_ records: [CallRecord], _ signalled: ContinuousClock.Instant) {
            let before = records.filter { $0.started < signalled - .seconds(1) }
            #expect(before.count > 100, "\(before.count) calls are too few")
            for record in before { #expect(record.error == nil, "\(record)") }
            for record in records where record.error != nil {
                #expect(record.code == .unavailable, "\(record)")
            }
            #expect(records.count { $0.error != nil } == Self.visitors)
        }

        /// After the next start, the last acknowledged state of each visitor is still valid.
        private func expectAllHold(_ visitors: [Visitor], _ backend: LoadBackend) async throws {
            let records = CallRecords()
            for visitor in visitors {
                #expect(await visitor.refresh(backend, records, timeout: Self.timeout))
                let token = await visitor.session.accessToken
                #expect(try await backend.isSignedIn(token, of: visitor.person))
            }
            for record in records.all { #expect(record.error == nil, "\(record)") }
            backend.close()
        }
    }
}
