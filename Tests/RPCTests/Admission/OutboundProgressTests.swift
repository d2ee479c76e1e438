import Testing

@testable import RPC

@Suite("A peer that is behind with its reading")
struct OutboundProgressTests {
    @Test(
        "Protos/README.md, Connection 6: it must take 64 KiB in each 10 s, exactly",
        arguments: [(0, false), (1, false), (64 * 1024 - 1, false), (64 * 1024, true)])
    func progress(taken: Int, isPatient: Bool) {
        var progress = OutboundProgress()
        progress.wrote(2_000_000)
        progress.began(pending: 1_500_000)
        #expect(progress.look(pending: 1_500_000 - taken) == isPatient)
    }

    @Test("what is written meanwhile is not taken for what it took")
    func writes() {
        var progress = OutboundProgress()
        progress.wrote(2_000_000)
        progress.began(pending: 2_000_000)
        progress.wrote(500_000)
        #expect(progress.look(pending: 2_500_000) == false)
        progress.wrote(500_000)
        #expect(progress.look(pending: 2_900_000) == true)
        #expect(progress.look(pending: 2_900_000) == false)
    }

    @Test("counting wraps and does not trap")
    func wraps() {
        var progress = OutboundProgress()
        progress.wrote(.max)
        progress.wrote(.max)
        progress.began(pending: 0)
        progress.wrote(100_000)
        #expect(progress.look(pending: 0) == true)
    }
}
