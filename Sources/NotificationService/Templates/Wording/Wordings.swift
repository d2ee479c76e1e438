/// One text in each language. `init` requires all languages, so that none is forgotten. A test
/// checks that all use the same variables.
struct Wordings: Sendable {
    let english: String
    let german: String
    let spanish: String
    let french: String
    let japanese: String

    subscript(_ language: Language) -> String {
        switch language {
        case .english: english
        case .german: german
        case .spanish: spanish
        case .french: french
        case .japanese: japanese
        }
    }
}
