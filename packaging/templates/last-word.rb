# Homebrew formula: builds from the source archive.
class LastWord < Formula
  desc "Durable write path for what AI agents learn"
  homepage "@url@"
  url "@url@/last-word-@version@.tar.gz"
  sha256 "@source_sum@"
  license any_of: ["MIT", "Apache-2.0"]
  depends_on "rust" => :build

  def install
    ENV["LAST_WORD_COMMIT"] = "@commit@"
    system "cargo", "install", *std_cargo_args
    generate_completions_from_executable(bin/"last-word", "completions")
    system bin/"last-word", "man", "--dir", man1
  end

  test do
    system bin/"last-word", "demo"
  end
end
