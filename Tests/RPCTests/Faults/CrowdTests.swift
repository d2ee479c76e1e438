import Glibc
import Messages
import NIOCore
import NIOPosix
import RPC
import ServiceRuntime
import TestSupport
import Testing

@Suite("A crowd of slow and idle callers", .serialized, .timeLimit(.minutes(5)))
struct CrowdTests {
    /// The crowd, or one that any machine's limit of descriptors lets in.
    private static let slowCount = SoakRounds.isLong ? 2_000 : 100
    private static let idleCount = SoakRounds.isLong ? 5_000 : 250
    /// What the issue allows an idle connection without TLS, in KiB.
    private static let idleKibibytesMax = 16
    /// How often the slow say a byte, and how many times.
    private static let beat = SoakRounds.isLong ? Duration.seconds(10) : .milliseconds(300)
    private static let beats = 3
    /// What the scheduler of a shared machine adds to any p99.
    private static let noise = Duration.milliseconds(3)

    @Test("security.md, Frames: a good caller's p99 at most doubles, and idle ones cost little")
    func crowd() async throws {
        Self.raiseDescriptorLimit()
        let serverGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let clientGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = try await Loopback.server(
            EchoService(), limits: Loopback.Limits(connectionsMax: 10_000), group: serverGroup)
        let client = Loopback.client(port: server.port, group: clientGroup)
        try await TestThreads.run {
            let alone = try await Self.percentile99(client, for: Self.beat)
            let before = ResidentMemory.kibibytes()
            let idle = try Crowd(Self.idleCount, port: server.port)
            let each = (ResidentMemory.kibibytes() - before) / Self.idleCount
            #expect(each <= Self.idleKibibytesMax)
            var slow = try Crowd(Self.slowCount, port: server.port)
            var crowded = Duration.zero
            for _ in 0..<Self.beats {
                // Spread over the beat, as so many strangers are.
                let measured = try await Self.percentile99(client, for: Self.beat) { share in
                    try slow.sayOneByte(upTo: Int(share * Double(Self.slowCount)))
                }
                crowded = max(crowded, measured)
            }
            #expect(crowded < alone * 2 + Self.noise)
            print("p99 alone \(alone), in the crowd \(crowded); idle: \(each) KiB each")
            for peer in idle.peers {
                peer.send(1, EchoService.onLoop, "idle")
                #expect(try peer.response(1).status == 0)
            }
        }
        client.close()
        await server.drain()
        try await clientGroup.shutdownGracefully()
        try await serverGroup.shutdownGracefully()
    }

    /// One call after the other for `duration`; between them others do their share, from 0 to 1.
    private static func percentile99(
        _ client: RPCClient, for duration: Duration, others: (Double) throws -> Void = { _ in }
    ) async throws -> Duration {
        let clock = ContinuousClock()
        let begin = clock.now
        let end = begin + duration
        var times: [Duration] = []
        while clock.now < end {
            try others(begin.duration(to: clock.now) / duration)
            let started = clock.now
            let isRight = try await CallKind.all[0].call(
                client, client.context(timeout: .seconds(5)), "good")
            #expect(isRight)
            times.append(started.duration(to: clock.now))
        }
        times.sort()
        return times.isEmpty ? .zero : times[times.count * 99 / 100]
    }

    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
