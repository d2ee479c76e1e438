import Foundation

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

        /// Whether the file contains the bytes anywhere.
        func holds(_ part: [UInt8]) -> Bool { bytes.range(of: Data(part)) != nil }
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
