import NIOCore
import NIOPosix
import RPC
import ServiceRuntime
import TestSupport
import Testing

@Suite("Every kind of call under every network fault", .serialized, .timeLimit(.minutes(60)))
struct FaultMatrixTests: Sendable {
    /// The goal is 50 ms. The ordinary run shares its cores with other processes.
    private static let overrunMax = Duration.milliseconds(SoakRounds.isLong ? 50 : 250)
    /// Limit of memory growth after many rounds, in KiB.
    private static let growthMax = 16 * 1024
    /// After this many rounds everything that is allocated once has been allocated.
    private static let warmUpRounds = 3

    @Test(
        "no call outlives its deadline, and no resources are left behind",
        arguments: FaultGroup.of(FaultCase.all))
    func faults(_ group: FaultGroup) async throws {
        try await group.each { try await fault($0) }
    }

    @Test(
        "the same holds over TLS, and no changed byte gets through",
        arguments: FaultGroup.of(FaultCase.overTLS))
    func faultsOverTLS(_ group: FaultGroup) async throws {
        try await group.each { try await faultOverTLS($0) }
    }

    private func fault(_ fault: FaultCase) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let echo = EchoService()
        let server = try await Loopback.server(
            echo,
            limits: Loopback.Limits(streamCredit: CallKind.streamCredit).with {
                $0.connectionsMax = 1_000
            }, group: group)
        try await rounds(fault.name) { seed in
            FaultRound(fault: fault, seed: seed, server: server) { port in
                Loopback.client(port: port, group: group, streamCredit: CallKind.streamCredit)
            }
        }
        await server.drain()
        try await group.shutdownGracefully()
    }

    private func faultOverTLS(_ fault: FaultCase) async throws {
        let setup = TLSLoopback.Setup(streamCredit: CallKind.streamCredit)
        try await TLSLoopback.run(setup) { loopback in
            try await rounds("\(fault.name), over TLS") { seed in
                FaultRound(fault: fault, seed: seed, server: loopback.server, isGuarded: true) {
                    try loopback.client(
                        TLSLoopback.Caller(port: $0, streamCredit: CallKind.streamCredit))
                }
            }
        }
    }

    private func rounds(_ name: String, _ round: (UInt64) -> FaultRound) async throws {
        var worst = Duration.zero
        var memory = 0
        for seed in 1...SoakRounds.count {
            let round = round(UInt64(seed))
            let overrun = try await quickest(under: Self.overrunMax, of: 3) {
                try await round.run()
            }
            worst = max(worst, overrun)
            if seed == Self.warmUpRounds { memory = ResidentMemory.kibibytes() }
        }
        #expect(worst < Self.overrunMax)
        let growth = ResidentMemory.kibibytes() - memory
        if SoakRounds.count > 2 * Self.warmUpRounds { #expect(growth < Self.growthMax) }
        if SoakRounds.isLong {
            print("\(name): worst overrun \(worst), grown by \(growth) KiB")
        }
    }
}
