import FoundationEssentials

/// A folder of inputs, one file for each, as a fuzzer writes them.
package enum CorpusFolder {
    /// The path of a fuzz target's committed corpus, relative to a source file in a test target's
    /// folder.
    package static func path(_ target: String, from file: String) -> String {
        // Links are resolved first, because a test target may be reached through a link.
        URL(filePath: file).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fuzzing/Corpus/\(target)").path
    }

    /// The names and bytes of all files, sorted by name.
    /// - Throws: if the folder or a file cannot be read.
    package static func inputs(_ path: String) throws -> [(name: String, bytes: [UInt8])] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted().map { name in
            (name, Array(try Data(contentsOf: URL(filePath: "\(path)/\(name)"))))
        }
    }
}
