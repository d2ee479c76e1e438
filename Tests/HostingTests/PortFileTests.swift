import TestSupport
import Testing

@testable import Hosting

@Suite("The port file")
struct PortFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("the ports are read back as written, and the folder has no other file")
    func roundTrip() throws {
        let path = folder.file("ports")
        #expect(PortFile.read(path) == nil)
        try PortFile.write(path, port: 7_400, metricsPort: 7_410)
        var ports = try #require(PortFile.read(path))
        #expect(ports == (7_400, 7_410))
        try PortFile.write(path, port: 1, metricsPort: 65_535)
        ports = try #require(PortFile.read(path))
        #expect(ports == (1, 65_535))
        #expect(try folder.names() == ["ports"])
    }

    @Test(
        "an incomplete or foreign file gives no ports",
        arguments: ["", "7400", "7400\n", "7400\nx\n", "a\nb\n", "1\n2\n3\n", "\n\n"])
    func others(text: String) throws {
        #expect(PortFile.read(try folder.write(text, to: "ports")) == nil)
    }

    @Test("a missing folder is an error with its reason, and a failed write leaves no file")
    func failure() throws {
        let error = #expect(throws: StartError.self) {
            try PortFile.write(folder.file("none/ports"), port: 1, metricsPort: 2)
        }
        #expect(error?.description.contains("No such file") == true)
        try folder.makeFolder("taken")
        #expect(throws: StartError.self) {
            try PortFile.write(folder.file("taken"), port: 1, metricsPort: 2)
        }
        #expect(try folder.names() == ["taken"])
    }
}
