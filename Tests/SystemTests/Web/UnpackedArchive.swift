import Foundation
import TestSupport
import Testing

/// The files of a ZIP archive, as Python's `zipfile` unpacks them. It fails if a file's CRC is not
/// that of its bytes.
func unpacked(_ archive: String) async throws -> [String: Data] {
    let folder = try TemporaryFolder()
    let run = try await ProgramRun.run(
        path: "/usr/bin/env", ["python3", "-m", "zipfile", "-e", archive, folder.path],
        limit: .seconds(30))
    try #require(run.exitCode == 0, "\(run.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return try names.reduce(into: [:]) { files, name in
        files[name] = try Data(contentsOf: URL(filePath: folder.file(name)))
    }
}
