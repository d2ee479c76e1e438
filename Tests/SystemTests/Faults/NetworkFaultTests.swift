import Foundation
import Messages
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    @Suite("A bad network between the programs")
    struct NetworkFaults {
        private static let timeout = Duration.seconds(1)
        /// The machine runs five programs and the load; without them it is a few milliseconds.
        private static let overrunMax = Duration.milliseconds(250)
        /// Covers the longest wait between two attempts to connect.
        private static let recoveryTimeout = Duration.seconds(20)

        /// The faults of the link, one after the other. The position of a fault within a frame is
        /// random, from a seed. An ordinary run has four kinds of faults, every other one on a link.
        private static func faults(
            on link: NetworkLink, _ randomness: SeededRandomness
        ) -> [ConnectionFaults] {
            let place = Int(randomness.next() % 800)
            let latency = Fault.latency(.milliseconds(50), jitter: .milliseconds(50))
            let trickle = Fault.trickle(pause: .milliseconds(1))
            let ordinary = [
                ConnectionFaults(upwards: latency, downwards: latency),
                ConnectionFaults(upwards: .stall(after: place)),
                ConnectionFaults(downwards: .reset(after: place)),
                ConnectionFaults(upwards: .halfClose(after: place)),
            ]
            guard SoakRounds.isLong else {
                let first = NetworkLink.allCases.firstIndex(of: link) ?? 0
                return ordinary.indices.filter { ($0 + first) % 2 == 0 }.map { ordinary[$0] }
            }
            return ordinary + [
                ConnectionFaults(upwards: trickle, downwards: trickle),
                ConnectionFaults(downwards: .stall(after: place)),
                ConnectionFaults(upwards: .reset(after: place)),
                ConnectionFaults(downwards: .halfClose(after: place)),
                ConnectionFaults(upwards: .truncate(after: place)),
                ConnectionFaults(downwards: .truncate(after: place)),
            ]
        }

        @Test(
            "no call outlives its deadline, all errors are catalogued, and service recovers",
            arguments: NetworkLink.allCases)
        func faults(on link: NetworkLink) async throws {
            try await ProxiedStack.with { stack, backend in
                let visitors = try await Visitor.signUp(1..<7, backend)
                let people = NewUsers(100)
                var worst = Duration.zero
                for round in 1...SoakRounds.count {
                    for faults in Self.faults(
                        on: link, SeededRandomness(seed: UInt64(round)))
                    {
                        let overrun = try await quickest(under: Self.overrunMax, of: 3) {
                            stack.proxies[link]?.set(faults)
                            let records = CallRecords()
                            await runLoad(visitors, people, backend, records)
                            stack.proxies[link]?.clearFaults()
                            let overrun = check(records.all, link, faults)
                            try await expectRecovered(
                                visitors, people, backend, "\(link), \(faults)")
                            return overrun
                        }
                        #expect(overrun < Self.overrunMax, "\(link), \(faults)")
                        worst = max(worst, overrun)
                    }
                }
                #expect(stack.areAllRunning)
                if SoakRounds.isLong { print("\(link): worst overrun \(worst)") }
            }
        }

        private func runLoad(
            _ visitors: [Visitor], _ people: NewUsers, _ backend: LoadBackend,
            _ records: CallRecords
        ) async {
            let load = VisitorLoad(
                visitors: visitors, backend: backend, records: records,
                pause: .milliseconds(100), timeout: Self.timeout, endsAtFailure: false)
            async let visiting: Void = load.run(for: .seconds(1))
            await people.signUpAndIn(2, backend, records, timeout: Self.timeout)
            await visiting
        }

        /// - Returns: the longest time that a call outlived its deadline.
        private func check(
            _ records: [CallRecord], _ link: NetworkLink, _ faults: ConnectionFaults
        ) -> Duration {
            let allowed: Set<ErrorCode?> = [
                nil, .unavailable, .deadlineExceeded, .resourceExhausted, .tooManyRequests,
            ]
            for record in records {
                #expect(!record.isUncatalogued, "\(record), \(link), \(faults)")
                #expect(allowed.contains(record.code), "\(record), \(link), \(faults)")
            }
            if case .stall = faults.upwards, link == .gatewayToSession {
                #expect(records.contains { $0.error != nil }, "the fault had no effect: \(faults)")
            }
            return records.map { $0.elapsed - $0.timeout }.max() ?? .zero
        }

        /// Every visitor's last response is still valid, and a new person can sign up and sign in
        /// again.
        private func expectRecovered(
            _ visitors: [Visitor], _ people: NewUsers, _ backend: LoadBackend, _ occasion: String
        ) async throws {
            let records = CallRecords()
            for visitor in visitors {
                let hasRecovered = try await eventually(within: Self.recoveryTimeout) {
                    await visitor.refresh(backend, records, timeout: .seconds(5))
                }
                #expect(hasRecovered, "\(occasion): \(records.all.last.map { "\($0)" } ?? "")")
            }
            let hasRecovered = try await eventually(within: Self.recoveryTimeout) {
                await people.signUpAndIn(1, backend, records, timeout: .seconds(5)) == 1
            }
            #expect(hasRecovered, "\(occasion): \(records.all.last.map { "\($0)" } ?? "")")
        }
    }
}

/// People who sign up and sign in, each once.
private actor NewUsers {
    private var number: Int

    init(_ first: Int) {
        number = first
    }

    /// - Returns: the number of the `count` people who could do both.
    @discardableResult
    func signUpAndIn(
        _ count: Int, _ backend: LoadBackend, _ records: CallRecords, timeout: Duration
    ) async -> Int {
        var succeeded = 0
        for _ in 0..<count {
            number += 1
            let person = Person(number)
            let session = await records.record("sign-up", timeout: timeout) {
                try await backend.signUp(
                    person, key: "sign-up of \(person.email)", timeout: timeout)
            }
            guard session != nil else { continue }
            let again = await records.record("sign-in", timeout: timeout) {
                try await backend.signIn(person, timeout: timeout)
            }
            if again != nil { succeeded += 1 }
        }
        return succeeded
    }
}
