import ServiceRuntime
import Testing

@testable import RPC

@Suite("Counters of a client's methods")
struct ClientCountsTests {
    @Test("each method name has one counter, shared by all threads")
    func once() async {
        let counts = ClientObservation.TargetCounts()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for round in 0..<1_000 {
                        let method = counts["postern.test.v1.T/M\(round % 10)"]
                        method.began()
                        method.ended(.ok, took: 1)
                    }
                }
            }
        }
        var found: [String: Int64] = [:]
        counts.forEach { name, sums in found[name, default: 0] += sums.statuses[0] }
        #expect(found.count == 10)
        #expect(found.values.allSatisfy { $0 == 800 })
    }

    @Test("methods beyond 64 are counted together as 'other', and no call is lost")
    func many() {
        let counts = ClientObservation.TargetCounts()
        for index in 0..<1_000 {
            counts["m\(index)"].began()
            counts["m\(index)"].ended(.unavailable, took: 5)
        }
        var found: [String: Int64] = [:]
        counts.forEach { name, sums in
            found[name] = sums.statuses[Int(StatusCode.unavailable.rawValue)]
        }
        #expect(found.count == ClientObservation.TargetCounts.methodsMax + 1)
        #expect(found["other"] == Int64(1_000 - ClientObservation.TargetCounts.methodsMax))
        #expect(found.values.reduce(0, +) == 1_000)
    }
}

@Suite("Histogram buckets of call durations")
struct CallBucketsTests {
    @Test(
        "a bucket includes its bound, and a longer duration falls into the next",
        arguments: [
            (0, 0), (99_999, 0), (100_000, 0), (100_001, 1), (250_000, 1), (1_000_000, 3),
            (1_000_001, 4), (10_000_000_000, 15), (10_000_000_001, 16), (.max, 16),
        ] as [(UInt64, Int)])
    func bucket(nanoseconds: UInt64, bucket: Int) {
        #expect(CallSeconds.bucket(of: nanoseconds) == bucket)
    }

    @Test("there is a counter for every bucket and every status")
    func sizes() {
        #expect(CallSeconds.seconds.count == CallSeconds.count)
        #expect(CallSeconds.seconds == CallSeconds.seconds.sorted())
        #expect(StatusCode.allCases.map(\.rawValue) == Array(0..<Int32(StatusCode.count)))
        #expect(Set(StatusCode.allCases.map(\.name)).count == StatusCode.count)
    }

    @Test("the longest duration does not overflow a counter")
    func extreme() {
        let counts = MethodCounts()
        counts.took(.max, calls: 1_000)
        var sums = MethodCounts.Sums()
        counts.add(to: &sums)
        #expect(sums.buckets[16] == 1_000)
    }
}
