import Glibc
import Logging
import ServiceRuntime
import TestSupport
import Testing

@Suite("Logs: one write per line", .timeLimit(.minutes(1)))
struct StandardErrorSinkTests {
    @Test("lines of eight tasks through one pipe stay whole")
    func whole() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        let logger = Logger.json(
            service: "test", level: .info, time: ManualTime(),
            sink: StandardErrorSink(descriptor: writing))
        let text = String(repeating: "x", count: 900)
        // Ten lines of 1 KiB from each of eight tasks: just over the 64 KiB that a pipe holds.
        let reader = Task { Self.readAll(reading) }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10 {
                        logger.info("test.line", "line", fields: [.detail: .text(text)])
                    }
                }
            }
        }
        close(writing)
        let lines = await reader.value.split(separator: UInt8(ascii: "\n"))
        close(reading)
        #expect(lines.count == 80)
        #expect(Set(lines).count == 1)
    }

    @Test("a closed descriptor loses the line and nothing else")
    func gone() {
        StandardErrorSink(descriptor: -1).write([UInt8(ascii: "\n")])
    }

    private static func readAll(_ descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(descriptor, &part, part.count)
            if count <= 0 { return bytes }
            bytes.append(contentsOf: part[..<count])
        }
    }
}
