import ArgumentParser
import Cryptography
import ServiceRuntime
import Storage
import TestSupport

/// Seconds of a photo of 5 MiB up and down, as parts of 64 KiB: in a folder, and as rows on a
/// server, by turns.
struct ServerPhotos: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "server-photos")

    private static let parts = 80
    private static let partBytes = 64 * 1_024

    @Option(help: "The server's URL.")
    var url: String
    @Option(help: "The schema.")
    var schema: String
    @Option(help: "A folder for files, on the server's disk.")
    var folder: String
    @Option(help: "Photos for each.")
    var rounds = 30

    func run() async throws {
        let settings = try ServerSettings(url: url, schema: schema)
        let store = try TestStore.open(
            at: .server(settings, folder: folder, name: "blobs"),
            [Migration(number: 1, sql: "", server: BlobRows.tables)], time: SystemTime(),
            logger: .silent)
        defer { store.close() }
        let files = try BlobFolder(in: folder, time: SystemTime())
        defer { files.close() }
        let places: [(name: String, blobs: any BlobStore)] = [
            ("folder", files), ("rows", try store.openBlobs(time: SystemTime())),
        ]
        var seconds: [String: [Double]] = [:]
        for _ in 0..<rounds {
            for (name, blobs) in places {
                let (up, down) = try await measure(blobs)
                seconds["\(name)-up", default: []].append(up)
                seconds["\(name)-down", default: []].append(down)
            }
        }
        for (name, runs) in seconds.sorted(by: { $0.key < $1.key }) {
            Figure(name: "server-photo-\(name)", value: Double.median(runs) * 1_000, unit: "ms")
                .report()
        }
    }

    private func measure(_ blobs: any BlobStore) async throws -> (up: Double, down: Double) {
        let randomness = SecureRandomness()
        let name = BlobName(drawnFrom: randomness)
        let parts = (0..<Self.parts).map { _ in randomness.bytes(Self.partBytes) }
        let clock = ContinuousClock()
        let up = try await clock.measure { try await blobs.write(name, parts) }
        let down = try await clock.measure {
            for (index, part) in parts.enumerated() {
                let read = try await blobs.read(
                    name, at: index * Self.partBytes, count: Self.partBytes)
                guard read == part else { throw ValidationError("a photo has other bytes") }
            }
        }
        try await blobs.remove([name])
        return (up / .seconds(1), down / .seconds(1))
    }
}
