/// The same words in each language. All languages are asked for here, so that none can be
/// forgotten; a test compares which values they tell.
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
