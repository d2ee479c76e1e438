import TestSupport
import Testing

/// A named fault. The seed decides where in the first frames it happens.
struct FaultCase: Sendable, CustomTestStringConvertible {
    let name: String
    let faults: @Sendable (SeededRandomness) -> ConnectionFaults
    /// Whether it changes bytes in transit, so that a wrong answer is not an error: without TLS
    /// nothing protects them.
    var changesBytes = false
    /// Whether nothing gets through. An answered call then shows that the test has no effect.
    var isTotal = false

    var testDescription: String { name }

    static let all =
        [
            FaultCase(name: "a good network") { _ in .none },
            FaultCase(name: "latency") { _ in
                let fault = Fault.latency(.milliseconds(20), jitter: .milliseconds(20))
                return ConnectionFaults(upwards: fault, downwards: fault)
            },
            FaultCase(name: "one byte at a time") { _ in
                let fault = Fault.trickle(pause: .zero)
                return ConnectionFaults(upwards: fault, downwards: fault)
            },
            FaultCase(name: "one byte each millisecond") { _ in
                let fault = Fault.trickle(pause: .milliseconds(1))
                return ConnectionFaults(upwards: fault, downwards: fault)
            },
            FaultCase(
                name: "a network that is a hole",
                faults: { _ in
                    ConnectionFaults(upwards: .stall(after: 0), downwards: .stall(after: 0))
                }, isTotal: true),
        ] + bothWays("stall") { .stall(after: place($0)) }
        + bothWays("reset") { .reset(after: place($0)) }
        + bothWays("half-close") { .halfClose(after: place($0)) }
        + bothWays("truncation") { .truncate(after: place($0)) }
        + bothWays("duplicated bytes", changesBytes: true) { randomness in
            .duplicate(after: place(randomness), count: 1 + Int(randomness.next() % 40))
        }

    /// Faults that are also tried over TLS. The ordinary run has only the harshest.
    static let overTLS =
        SoakRounds.isLong
        ? all
        : all.filter { fault in
            !["a good", "latency", "one byte", "stall", "half-close", "trunc"].contains {
                fault.name.hasPrefix($0)
            }
        }

    /// A place in the Hello, in one of the next frames (over TLS, in its handshake), or among the
    /// items of the streams.
    private static func place(_ randomness: SeededRandomness) -> Int {
        let span: UInt64 = randomness.next() % 2 == 0 ? 900 : 12_000
        return Int(randomness.next() % span)
    }

    private static func bothWays(
        _ name: String, changesBytes: Bool = false,
        _ fault: @escaping @Sendable (SeededRandomness) -> Fault
    ) -> [FaultCase] {
        [
            FaultCase(
                name: "\(name), upwards", faults: { ConnectionFaults(upwards: fault($0)) },
                changesBytes: changesBytes),
            FaultCase(
                name: "\(name), downwards", faults: { ConnectionFaults(downwards: fault($0)) },
                changesBytes: changesBytes),
        ]
    }
}
