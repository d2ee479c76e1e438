import Testing

@testable import RPC

@Suite("A peer that reads too slowly")
struct OutboundProgressTests {
    @Test(
        "Protos/README.md, Connection 6: a peer must read 64 KiB in each 10 s, exact to the byte",
        arguments: [(0, false), (1, false), (64 * 1024 - 1, false), (64 * 1024, true)])
    func progress(taken: Int, isInTime: Bool) {
        var progress = OutboundProgress()
        progress.wrote(2_000_000)
        progress.began(pending: 1_500_000)
        #expect(progress.look(pending: 1_500_000 - taken) == isInTime)
    }

    @Test("bytes written meanwhile do not count as bytes that the peer read")
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

    @Test("the byte counter wraps and does not trap")
    func wraps() {
        var progress = OutboundProgress()
        progress.wrote(.max)
        progress.wrote(.max)
        progress.began(pending: 0)
        progress.wrote(100_000)
        #expect(progress.look(pending: 0) == true)
    }
}
