import Glibc
import ServiceRuntime

/// The content of an operator's template folder.
package struct OperatorTemplates: Hashable, Sendable {
    /// The maximum number of files: more than there are templates, few enough to read every few
    /// seconds.
    static let filesMax = 1_000

    /// No folder: all templates are ours.
    package static let none = OperatorTemplates(files: [:], faults: [])

    /// The text of each file, by name.
    private let files: [String: String]
    /// Files that could not be read or would not be used.
    let faults: [TemplateFault]

    private init(files: [String: String], faults: [TemplateFault]) {
        self.files = files
        self.faults = faults
    }

    /// Reads the folder at `path`. Hidden files and editors' backup files (`~`) are ignored.
    package init(folder path: String) {
        guard let names = Self.names(in: path) else {
            let reason = String(cString: strerror(errno))
            let fault = TemplateFault(
                file: path, line: 0, sentence: "the folder cannot be read: \(reason)")
            self.init(files: [:], faults: [fault])
            return
        }
        var files: [String: String] = [:]
        var faults: [TemplateFault] = []
        if names.count > Self.filesMax {
            faults.append(
                TemplateFault(file: path, line: 0, sentence: "more than \(Self.filesMax) files"))
        }
        for name in names.prefix(Self.filesMax) {
            do throws(TemplateFault) {
                files[name] = try Self.text(of: name, in: path)
            } catch {
                faults.append(error)
            }
        }
        self.init(files: files, faults: faults)
    }

    /// The operator's text of a file; nil if there is none.
    func source(_ name: String) -> TemplateSource? {
        files[name].map { TemplateSource(file: name, line: 1, text: $0) }
    }

    private static func text(of name: String, in path: String) throws(TemplateFault) -> String {
        let bytesMax =
            name == MailFrame.fileName
            ? MailFrame.bytesMax : try OperatorFileName(name).kind.bytesMax
        switch FileText.read("\(path)/\(name)", bytesMax: bytesMax) {
        case .failure(let failure):
            throw TemplateFault(file: name, line: 0, sentence: failure.sentence)
        case .success(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw TemplateFault(file: name, line: 0, sentence: "it is not UTF-8")
            }
            return text
        }
    }

    /// Nil if the folder cannot be read; `errno` has the reason.
    private static func names(in path: String) -> [String]? {
        guard let directory = opendir(path) else { return nil }
        defer { closedir(directory) }
        var names: [String] = []
        while names.count <= filesMax, let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix("."), !name.hasSuffix("~") { names.append(name) }
        }
        return names.sorted()
    }
}
