import Foundation
import Glibc

extension Cluster {
    /// A file below the data folder, as it is now.
    struct DataFile {
        let path: String
        private let bytes: Data

        init?(_ path: String) {
            // A file that was deleted after the listing contains nothing.
            guard let bytes = try? Data(contentsOf: URL(filePath: path)) else { return nil }
            self.path = path
            self.bytes = bytes
        }

        /// Whether the file contains the text anywhere.
        func holds(_ text: String) -> Bool { holds(Array(text.utf8)) }

        /// Whether the file contains the bytes anywhere. `Data.range(of:)` would take seconds for
        /// all that is searched for.
        func holds(_ part: [UInt8]) -> Bool {
            // What is sealed begins alike, so look for a byte in the middle.
            let middle = part.count / 2
            return bytes.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress, bytes.count >= part.count else { return false }
                let end = bytes.count - (part.count - middle) + 1
                var place = middle
                while place < end,
                    let found = memchr(start + place, Int32(part[middle]), end - place)
                {
                    if memcmp(found - middle, part, part.count) == 0 { return true }
                    place = found - UnsafeMutableRawPointer(mutating: start) + 1
                }
                return false
            }
        }
    }

    /// All files of the cluster: stores and their journals, logs, mails.
    func files() -> [DataFile] {
        // A folder that cannot be listed has no files; the tests look for some that must exist.
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: data)) ?? []
        return names.compactMap { DataFile("\(data)/\($0)") }
    }

    /// The lines of all logs.
    func logLines() throws -> [String] {
        try BuiltPrograms.services.flatMap { service in
            try String(contentsOfFile: "\(data)/logs/postern-\(service).log", encoding: .utf8)
                .split(separator: "\n").map(String.init)
        }
    }
}
