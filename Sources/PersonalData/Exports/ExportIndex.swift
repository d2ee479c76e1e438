import IdentityService
import ServiceRuntime

/// The page in an archive that lists its files in words, in its reader's language
/// (`Sources/Texts/export`). It works without a network and has no script.
struct ExportIndex: Sendable {
    /// Its name in the archive.
    static let name = "index.html"

    /// The names of the other files.
    let files: [String]
    let voice: Voice
    /// When the data was collected.
    let moment: Timestamp

    init(files: [String], voice: Voice, at moment: Timestamp) {
        (self.files, self.voice, self.moment) = (files, voice, moment)
    }

    /// The document.
    var document: String {
        let items = files.map { file in
            let name = HTMLText.escape(file)
            return "<li><a href=\"\(name)\">\(name)</a>: \(words(for: file))</li>\n"
        }.joined()
        let intro = text("intro")
            .replacing("{{time}}", with: NoticeTime.text(of: moment))
        return """
            <!DOCTYPE html>
            <html lang="\(voice.language.rawValue)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(text("title"))</title>
            <style>body { max-width: 40em; margin: 2em auto; padding: 0 1em; \
            font-family: sans-serif; line-height: 1.5 } li { margin: 0.5em 0 }</style>
            </head>
            <body>
            <h1>\(text("title"))</h1>
            <p>\(intro)</p>
            <ul>
            \(items)</ul>
            <p>\(text("format"))</p>
            <p>\(text("private"))</p>
            </body>
            </html>

            """
    }

    /// What a file has. A photo's name ends in its format.
    private func words(for file: String) -> String {
        let words = text("file/\(file)")
        guard words.isEmpty else { return words }
        return text(file.hasPrefix("photo.") ? "file/photo" : "file/other")
    }

    private func text(_ key: String) -> String { HTMLText.escape(voice.exportSentence(key)) }
}
