import Messages
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    @Suite("A rolling restart of two gateways")
    struct RollingStop {
        /// 25 visitors, each calling every 50 ms: 500 calls/s.
        private static let visitors = 25
        private static let pause = Duration.milliseconds(50)
        private static let timeout = Duration.seconds(5)
        /// The load before, between and after the two stops.
        private static let phase = Duration.milliseconds(700)

        @Test("Protos/README.md, Connection 4: two gateways restart at 500 calls/s; no call fails")
        func rolling() async throws {
            try await Cluster.with { cluster in
                let gateways = ["first", "second"].map { GatewayProgram($0, of: cluster) }
                for gateway in gateways { try await gateway.start() }
                let backend = try LoadBackend(ports: gateways.map(\.port), data: cluster.data)
                let visitors = try await Visitor.signUp(1..<Self.visitors + 1, backend)
                let records = CallRecords()
                let load = VisitorLoad(
                    visitors: visitors, backend: backend, records: records, pause: Self.pause,
                    timeout: Self.timeout, endsAtFailure: false)
                let over = Flag()
                async let ran: Void = load.run { !over.isRaised }
                let took = try await ContinuousClock().measure {
                    for gateway in gateways {
                        try await Task.sleep(for: Self.phase)
                        #expect(await gateway.stop() == 0)
                        try await Task.sleep(for: Self.phase)
                        try await gateway.start()
                    }
                    try await Task.sleep(for: Self.phase)
                }
                over.raise()
                await ran
                check(records.all, within: took)
                backend.close()
                for gateway in gateways { await gateway.stop() }
            }
        }

        private func check(_ records: [CallRecord], within duration: Duration) {
            let failed = records.filter { $0.error != nil }
            #expect(failed.isEmpty, "\(failed.count): \(failed.prefix(3))")
            // Nominally 500 calls/s; a busy machine may carry fewer.
            #expect(records.count > 500)
            let rate = Double(records.count) / (duration / .seconds(1))
            Figures.tell("rolling-stop", rate, "calls/s")
            Figures.tell("rolling-stop-failed", Double(failed.count), "calls")
        }
    }
}
