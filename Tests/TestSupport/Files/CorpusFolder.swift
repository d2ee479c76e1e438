import FoundationEssentials

/// A folder of inputs, as a fuzzer leaves them: a file each.
package enum CorpusFolder {
    /// The committed corpus of a fuzz target, seen from a file in a folder of a test target.
    package static func path(_ target: String, from file: String) -> String {
        // Links are followed first: a test target may be seen through one.
        URL(filePath: file).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fuzzing/Corpus/\(target)").path
    }

    /// The names and bytes of all files, in the order of their names.
    package static func inputs(_ path: String) throws -> [(name: String, bytes: [UInt8])] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted().map { name in
            (name, Array(try Data(contentsOf: URL(filePath: "\(path)/\(name)"))))
        }
    }
}
