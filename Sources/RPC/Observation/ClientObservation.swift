package import ServiceRuntime
import Synchronization

/// Metrics and traces of the calls that a program's clients make: calls and durations by target,
/// method and status, and a span for each call if there is a tracer. One instance serves all
/// clients of a program.
package final class ClientObservation: MetricSource {
    private let tracing: CallTracing?
    private let targets = Mutex<[(service: String, counts: TargetCounts)]>([])

    /// The observation of one program's clients; without `tracing` there are no spans and no cost.
    package init(tracing: CallTracing? = nil) {
        self.tracing = tracing
    }

    /// The part of one target; called once for each client.
    func target(_ service: String) -> Target {
        let counts = targets.withLock { targets in
            if let known = targets.first(where: { $0.service == service }) { return known.counts }
            let counts = TargetCounts()
            targets.append((service, counts))
            return counts
        }
        return Target(service: service, counts: counts, tracing: tracing)
    }

    /// Writes the metric families `rpc_client_…`.
    package func write(to page: inout MetricsPage) {
        for (service, counts) in targets.withLock({ $0 }) {
            counts.forEach { method, sums in
                sums.write("rpc_client", [("target", service), ("method", method)], to: &page)
            }
        }
    }

    /// The calls to one target.
    struct Target: Sendable {
        let service: String
        let counts: TargetCounts
        let tracing: CallTracing?

        /// Makes a call with `body`, which receives the context for the call.
        /// - Throws: what `body` throws.
        func call<Answer>(
            _ method: String, _ context: CallContext, _ time: any Time,
            _ body: (CallContext) async throws -> Answer
        ) async throws -> Answer {
            let (observed, context) = begin(method, context, time)
            do {
                let answer = try await body(context)
                observed.end(.ok, time)
                return answer
            } catch {
                observed.end(StatusCode(answering: error), time)
                throw error
            }
        }

        /// Starts a call: returns its counters and span, and the context for the call.
        func begin(
            _ method: String, _ context: CallContext, _ time: any Time
        ) -> (Call, CallContext) {
            let (counts, began) = (counts[method], time.uptime())
            counts.began()
            let (traced, context) =
                tracing?.made(method, to: service, context, at: began) ?? (nil, context)
            return (Call(counts: counts, traced: traced, began: began), context)
        }
    }

    /// The metrics and trace of a running client call; must be ended once.
    struct Call: Sendable {
        fileprivate let counts: MethodCounter
        fileprivate let traced: CallTracing.TracedCall?
        fileprivate let began: Duration

        func end(_ status: StatusCode, _ time: any Time) {
            let ended = time.uptime()
            counts.ended(status, took: (ended - began).nanoseconds)
            traced?.end(status, at: ended)
        }
    }

    /// The counters of one method of one target, for all clients of a program. Calls start and end
    /// on many threads, so the additions are atomic.
    final class MethodCounter: Sendable {
        let method: String
        private let statuses: InlineArray<17, Atomic<Int64>>
        private let buckets: InlineArray<17, Atomic<Int64>>
        private let begun = Atomic<Int64>(0)
        private let nanoseconds = Atomic<Int64>(0)

        init(_ method: String) {
            self.method = method
            statuses = InlineArray { _ in Atomic(0) }
            buckets = InlineArray { _ in Atomic(0) }
        }

        func began() { begun.wrappingAdd(1, ordering: .relaxed) }

        func ended(_ status: StatusCode, took: UInt64) {
            statuses[Int(status.rawValue)].wrappingAdd(1, ordering: .relaxed)
            buckets[CallSeconds.bucket(of: took)].wrappingAdd(1, ordering: .relaxed)
            nanoseconds.wrappingAdd(Int64(clamping: took), ordering: .relaxed)
        }

        var sums: MethodCounts.Sums {
            var sums = MethodCounts.Sums()
            for index in statuses.indices {
                sums.statuses[index] = statuses[index].load(ordering: .relaxed)
            }
            for index in buckets.indices {
                sums.buckets[index] = buckets[index].load(ordering: .relaxed)
            }
            sums.begun = begun.load(ordering: .relaxed)
            sums.nanoseconds = nanoseconds.load(ordering: .relaxed)
            return sums
        }
    }

    /// The counters of a target's methods, by name. Entries of the table are never removed, so a
    /// lookup needs no lock.
    final class TargetCounts: Sendable {
        /// Methods with their own counters; a service has a dozen. All others share one.
        static let methodsMax = 64

        private let places: InlineArray<64, AtomicLazyReference<MethodCounter>>
        private let other = MethodCounter("other")

        init() {
            places = InlineArray { _ in AtomicLazyReference() }
        }

        /// The counters of `method`, made at the first use.
        subscript(method: String) -> MethodCounter {
            var method = method
            let hash = method.withUTF8 { MethodTable.hash(UnsafeRawBufferPointer($0)) }
            let start = Int(truncatingIfNeeded: hash >> 32) & (Self.methodsMax - 1)
            for step in 0..<Self.methodsMax {
                let place = (start + step) & (Self.methodsMax - 1)
                let counts =
                    places[place].load() ?? places[place].storeIfNil(MethodCounter(method))
                if counts.method == method { return counts }
            }
            return other
        }

        func forEach(_ body: (String, MethodCounts.Sums) -> Void) {
            for place in places.indices {
                if let counts = places[place].load() { body(counts.method, counts.sums) }
            }
            let sums = other.sums
            if sums.begun > 0 { body(other.method, sums) }
        }
    }
}
