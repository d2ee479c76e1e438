import ArgumentParser
import Contracts
import FoundationEssentials
import Glibc
import Messages
import RPC
import ServiceRuntime
import TestSupport

/// The time of a photo's upload to identity, until it is durable, compared with the time to write
/// and sync a file of the same bytes as `dd conv=fsync` does, alternately. Each photo is another,
/// since an upload of the same one writes nothing.
struct PhotoUploads: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "photo-uploads")

    /// The largest item of an upload.
    private static let itemBytes = 64 * 1_024

    @OptionGroup var options: DocumentOptions
    @Option(help: "A folder on the disk of the data folder.")
    var folder: String
    @Option(help: "Bytes of a photo.")
    var bytes = 4 << 20
    @Option(help: "Uploads, and files.")
    var rounds = 20

    func run() async throws {
        let (gateway, identity) = (try options.app.client(), try options.identityClient())
        defer { [gateway, identity].forEach { $0.close() } }
        let token = try await DocumentWriters(1, gateway).tokens[0]
        var (uploads, files): ([Double], [Double]) = ([], [])
        for round in 1...rounds {
            let photo = TestPhoto.jpeg(bytes: bytes, seed: UInt64(round))
            let begun = ContinuousClock.now
            try await upload(photo, token, identity)
            uploads.append((ContinuousClock.now - begun) / .milliseconds(1))
            files.append(try writeFile(photo) / .milliseconds(1))
        }
        let (upload, file) = (Double.median(uploads), Double.median(files))
        Figure(name: "photo-upload", value: upload, unit: "ms").report()
        Figure(name: "photo-file", value: file, unit: "ms").report()
        Figure(name: "photo-upload-to-file", value: file / upload, unit: "×").report()
    }

    private func upload(_ photo: [UInt8], _ token: String, _ identity: RPCClient) async throws {
        let call = ProfileClient(identity).uploadPhoto(
            identity.context(timeout: .seconds(60)).bearing(token))
        async let stored = Self.stored(call.incoming)
        try await call.outgoing.write(.init(part: .bytes(UInt32(photo.count))))
        for start in stride(from: 0, to: photo.count, by: Self.itemBytes) {
            let item = photo[start..<min(start + Self.itemBytes, photo.count)]
            try await call.outgoing.write(.init(part: .data(Array(item))))
        }
        call.outgoing.finish()
        guard try await stored else { throw ValidationError("an upload ended without its photo") }
    }

    private static func stored(
        _ items: IncomingItems<GatewayV1.UploadPhotoItem>
    ) async throws -> Bool {
        var last: GatewayV1.UploadPhotoItem?
        for try await item in items { last = item }
        return last?.photo != nil
    }

    private func writeFile(_ bytes: [UInt8]) throws -> Duration {
        let path = "\(folder)/photo"
        defer { unlink(path) }
        let begun = ContinuousClock.now
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw ValidationError("\(path) cannot be written") }
        let isWritten = write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
        guard close(file) == 0, isWritten else {
            throw ValidationError("\(path) cannot be written")
        }
        return ContinuousClock.now - begun
    }
}
