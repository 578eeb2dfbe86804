# typed: strict
# frozen_string_literal: true

# Sorts large files on any GPU, with the options of GNU sort.
#
# gpusort is not on npm yet. Until then, set the first url to the package of `npm run release` (docs/install.md).
class Gpusort < Formula
  desc "Sort large files on any GPU through WebGPU, or on the CPU"
  homepage "https://www.npmjs.com/package/gpusort"
  url "@URL@"
  sha256 "@SHA256@"
  license "MIT"

  depends_on "node"

  on_linux do
    depends_on "vulkan-loader"
  end

  resource "webgpu" do
    url "@WEBGPU_URL@"
    sha256 "@WEBGPU_SHA256@"
  end

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")

    # The library of this platform alone.
    processor = Hardware::CPU.intel? ? "x64" : "arm64"
    library = OS.mac? ? "darwin-universal" : "linux-#{processor}"
    resource("webgpu").stage do
      webgpu = libexec/"lib/node_modules/gpusort/node_modules/webgpu"
      webgpu.install "index.js", "package.json", "LICENSE.md"
      (webgpu/"dist").install "dist/#{library}"
    end

    man1.install_symlink libexec/"lib/node_modules/gpusort/docs/gpusort.1"
    generate_completions_from_executable(bin/"gpusort", shell_parameter_format: "--completions=")
  end

  test do
    (testpath/"input").write("b 2\na 10\n")
    assert_equal "b 2\na 10\n", shell_output("#{bin}/gpusort -k2,2n input")
    assert_equal "a 10\nb 2\n", shell_output("#{bin}/gpusort input")
    shell_output("#{bin}/gpusort --check=quiet input", 1)
    assert_match version.to_s, shell_output("#{bin}/gpusort --version")
  end
end
