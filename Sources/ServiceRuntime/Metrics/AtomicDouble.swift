import Synchronization

/// A `Double` that many threads may add to, stored as its bit pattern.
struct AtomicDouble: ~Copyable, Sendable {
    private let bits = Atomic<UInt64>(0)

    /// The current number.
    func get() -> Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    /// Replaces the number.
    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    /// Adds to the number. Retries when another thread changed it meanwhile.
    func add(_ amount: Double) {
        var known = bits.load(ordering: .relaxed)
        while true {
            let sum = Double(bitPattern: known) + amount
            let (done, now) = bits.weakCompareExchange(
                expected: known, desired: sum.bitPattern, ordering: .relaxed)
            if done { return }
            known = now
        }
    }
}

/// Numbers in the exposition format.
enum MetricNumber {
    /// Go's notation: `+Inf`, `-Inf`, `NaN`, and whole numbers without a fraction.
    static func text(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if let whole = Int64(exactly: value) { return String(whole) }
        return String(value)
    }
}
