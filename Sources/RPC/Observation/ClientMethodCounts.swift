import ServiceRuntime
import Synchronization

/// The counters of one method of one target, for all clients of a program. Calls start and end on
/// many threads, so the additions are atomic.
final class ClientMethodCounts: Sendable {
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
        buckets[CallBuckets.bucket(of: took)].wrappingAdd(1, ordering: .relaxed)
        nanoseconds.wrappingAdd(Int64(clamping: took), ordering: .relaxed)
    }

    var sums: CallSums {
        var sums = CallSums()
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

/// The counters of a target's methods, by name. Entries of the table are never removed, so a lookup
/// needs no lock.
final class TargetCounts: Sendable {
    /// Methods with their own counters; a service has a dozen. All others share one.
    static let methodsMax = 64

    private let places: InlineArray<64, AtomicLazyReference<ClientMethodCounts>>
    private let other = ClientMethodCounts("other")

    init() {
        places = InlineArray { _ in AtomicLazyReference() }
    }

    /// The counters of `method`, made at the first use.
    subscript(method: String) -> ClientMethodCounts {
        var method = method
        let hash = method.withUTF8 { MethodTable.hash(UnsafeRawBufferPointer($0)) }
        let start = Int(truncatingIfNeeded: hash >> 32) & (Self.methodsMax - 1)
        for step in 0..<Self.methodsMax {
            let place = (start + step) & (Self.methodsMax - 1)
            let counts =
                places[place].load() ?? places[place].storeIfNil(ClientMethodCounts(method))
            if counts.method == method { return counts }
        }
        return other
    }

    func forEach(_ body: (String, CallSums) -> Void) {
        for place in places.indices {
            if let counts = places[place].load() { body(counts.method, counts.sums) }
        }
        let sums = other.sums
        if sums.begun > 0 { body(other.method, sums) }
    }
}
